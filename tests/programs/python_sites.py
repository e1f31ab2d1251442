# Two places that send, one of them called from two others; a file of its own beside modules.
import sys
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()


def ring(tag):
    data = bytearray(8)
    comm.Sendrecv(bytes(8), (rank + 1) % comm.size, tag, data, (rank - 1) % comm.size, tag)


for i in range(3):
    ring(i)
ring(9)
comm.Barrier()
with open(sys.argv[1] + str(rank), "wb") as f:
    f.write(bytes(1000))
