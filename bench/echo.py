"""A bare grpcio server that answers every call with a fixed message: the yardstick of an empty call."""
from __future__ import annotations

import asyncio
import sys

import grpc.aio

METHOD = "/bench.Echo/Echo"


async def serve(answer: bytes) -> None:
    """Serve until the end of standard input."""

    async def echo(request: bytes, context: object) -> bytes:
        return answer

    server = grpc.aio.server()
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(echo)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Echo", {"Echo": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"listening on 127.0.0.1:{port}", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await server.stop(0)


if __name__ == "__main__":
    asyncio.run(serve(bytes(int(sys.argv[1]))))
