"""Campus Café behind the engine interface."""
from cython_ext.game cimport Game
from engines.campus.layout cimport Set


cdef class CampusGame(Game):
    cdef Set set
