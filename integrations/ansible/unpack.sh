#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Unpacks what a machine packed, as files that it chose: usage: unpack.sh ARCHIVE NAME FOLDER
# What is in NAME of the archive comes into FOLDER/NAME, each file and folder in the place of the one of its name. An archive with
# a link, a device or another name than NAME is refused as a whole: of two archives, the second could go through the first one's link.
set -eu
archive=$1 name=$2 folder=$3
fresh=''
trap '[ -z "$fresh" ] || rm -rf "$fresh"' EXIT
refuse() {
	echo "unpack.sh: $archive: $*" >&2
	exit 1
}
case /$name/ in */../* | */./* | *//*) refuse "$name is no name below a folder" ;; esac
tar -tzvf "$archive" >/dev/null 2>&1 || refuse "no archive"
! tar -tzvf "$archive" 2>/dev/null | grep -q '^[^-d]' || refuse "holds what is neither a file nor a folder"
tar -tzf "$archive" 2>/dev/null | NAME=$name awk '{ here = $0 "/" } index(here, ENVIRON["NAME"] "/") != 1 || here ~ /\/\.\.\// { exit 1 }' ||
	refuse "holds other names than $name"
part=$folder
IFS=/
for step in $name; do # nothing here is a link, either
	part=$part/$step
	[ ! -L "$part" ] || refuse "$part is a link"
done
unset IFS
fresh=$(mktemp -d "$folder/.unpack-XXXXXX")
tar -C "$fresh" --no-same-owner --no-same-permissions -xzf "$archive"
[ -z "$(find "$fresh" ! -type f ! -type d)" ] || refuse "holds what is neither a file nor a folder"
mkdir -p "$folder/$name"
for file in "$fresh/$name"/* "$fresh/$name"/.[!.]*; do
	[ -e "$file" ] || continue
	rm -rf "${folder:?}/$name/${file##*/}"
	mv "$file" "$folder/$name/"
done
