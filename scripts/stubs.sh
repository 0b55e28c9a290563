#!/bin/sh
# Generate the Python stubs of proto/ into FOLDER/cafebrain/v1: scripts/stubs.sh FOLDER
set -eu
mkdir -p "$1"
python -m grpc_tools.protoc -Iproto --python_out="$1" --mypy_out=quiet:"$1" proto/cafebrain/v1/*.proto
python -m grpc_tools.protoc -Iproto --grpc_python_out="$1" --mypy_grpc_out=quiet:"$1" proto/cafebrain/v1/brain_service.proto
