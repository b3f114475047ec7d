"""Runs GDAL's conversions for the tests in one process, as its start takes longer than most conversions.

Reads a request as JSON from each line of standard input: {"call": ..., "from": path, "to": path, "options": [...]}. Writes for each
a line of JSON, {"size": n} or {"error": text}, and after a size the n bytes of the result.
"""
import json
import os
import sys

from osgeo import gdal, ogr

gdal.UseExceptions()
ogr.UseExceptions()
gdal.PushErrorHandler("CPLQuietErrorHandler")
IN_MEMORY = "/vsimem/result"


def translate(request):
    gdal.Translate(request["to"], request["from"], options=request["options"])
    return b""


def warp(request):
    if os.path.exists(request["to"]):
        os.remove(request["to"])
    gdal.Warp(request["to"], request["from"], options=request["options"])
    return b""


def convert(request):
    """A vector file; without "to", the bytes that would be written."""
    source = gdal.OpenEx(request["from"], gdal.OF_VECTOR, open_options=request.get("openOptions", []))
    gdal.VectorTranslate(request.get("to", IN_MEMORY), source, options=request["options"])
    if "to" in request:
        return b""
    file = gdal.VSIFOpenL(IN_MEMORY, "rb")
    content = gdal.VSIFReadL(1, gdal.VSIStatL(IN_MEMORY).size, file)
    gdal.VSIFCloseL(file)
    gdal.Unlink(IN_MEMORY)
    return bytes(content)


def info(request):
    return gdal.Info(request["from"], options=["-json", *request["options"]], deserialize=False).encode()


def cells(request):
    """Cells of all bands, one band after the other, in their own type."""
    return bytes(gdal.Open(request["from"]).ReadRaster())


def rasterize(request):
    """Burns a vector file into a raster of bytes in memory; returns the number of cells of each value from 0 to 255."""
    source = gdal.OpenEx(request["from"], gdal.OF_VECTOR)
    raster = gdal.Rasterize("", source, options=["-of", "MEM", "-ot", "Byte", *request["options"]])
    counts = raster.GetRasterBand(1).GetHistogram(-0.5, 255.5, 256, include_out_of_range=0, approx_ok=0)
    return json.dumps(counts).encode()


CALLS = {"translate": translate, "warp": warp, "convert": convert, "info": info, "cells": cells, "rasterize": rasterize}

for line in sys.stdin:
    request = json.loads(line)
    try:
        result = CALLS[request["call"]](request)
        answer = {"size": len(result)}
    except Exception as error:
        result, answer = b"", {"error": str(error)}
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n" + result)
    sys.stdout.buffer.flush()
