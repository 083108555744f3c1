"""fleet_hub.py - joins the links of virtual machines, and a tap of this network namespace, to one Ethernet
usage: fleet_hub.py TAP OWN:PEER...    OWN: the socket that a machine sends to, PEER: the machine's own

A frame goes where its address was seen last, or everywhere. What a machine that is gone does not take is lost.
"""
import fcntl
import os
import select
import socket
import struct
import sys

tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
fcntl.ioctl(tap, 0x400454CA, struct.pack("16sH22x", sys.argv[1].encode(), 0x1002))  # TUNSETIFF; IFF_TAP, IFF_NO_PI
send = {tap: lambda frame: os.write(tap, frame)}
read = {tap: lambda: os.read(tap, 65536)}
for word in sys.argv[2:]:
    own, peer = word.split(":")
    port = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
    port.bind(own)
    os.chmod(own, 0o666)
    send[port] = lambda frame, port=port, peer=peer: port.sendto(frame, peer)
    read[port] = lambda port=port: port.recv(65536)
seen = {}
print("joined", flush=True)
while True:
    for port in select.select(list(read), [], [])[0]:
        frame = read[port]()
        seen[frame[6:12]] = port
        for other in [seen[frame[:6]]] if frame[:6] in seen else list(send):
            if other != port:
                try:
                    send[other](frame)
                except OSError:
                    pass
