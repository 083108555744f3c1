# base/: what perfparse/, reports/ and user/ all stand on; its objects are part of libperfparse.a
BASE_SRC := $(wildcard base/*.c)
