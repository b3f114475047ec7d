"""Writes files through GDAL with values of every type that a driver takes, and tells as JSON what GDAL reads of files.

usage: gdal-reference.py <<< '{"folder": "/tmp/x", "write": true, "config": {"GML": {"KEY": "VALUE"}}}'
       gdal-reference.py <<< '{"files": [{"path": "/tmp/x.shp", "driver": "ESRI Shapefile"}], "config": {}}'
The answer is one line a file: {"driver", "path", "name", "layers": [{"name", "fields", "rows"}]}. Whole numbers and
times come as text, floating-point numbers as Python's shortest exact text, bytes and WKB in hexadecimal digits.
"""
import json
import os
import sys

from osgeo import gdal, ogr

gdal.UseExceptions()
gdal.PushErrorHandler("CPLQuietErrorHandler")
INFINITE = [float("inf"), float("-inf"), float("nan")]

TEXTS = [
    "", "plain", "tab\there", "new\nline", "back\\slash", "\\N", "\\.", "quotes \" ' `", "Grüße 日本語 🎉 ﷺ",
    " blanks around ", "<&>]]>&amp;", "NULL", "007", "{1,2}", "(1:a)", "\\x41", "a,b;c|d", "true", "1e5",
    "2024-02-29", "-", "long " * 2000, "\\", "\"", "''", "%41%s", "\\t\\n", "a\\", "=1+1", "#N/A",
]
LISTS = [["a\"b", "c\\d,{}", "", "NULL", "é"], ["\\"], ["a\\", "b"], ["\"", "'"], ["tab\t", "line\n"], ["x"]]
FIELDS = [
    ("int32", ogr.OFTInteger, 0, [0, 2147483647, -2147483648, 1]),
    ("bool", ogr.OFTInteger, ogr.OFSTBoolean, [0, 1]),
    ("int16", ogr.OFTInteger, ogr.OFSTInt16, [0, 32767, -32768, 7]),
    ("int64", ogr.OFTInteger64, 0, [0, 9223372036854775807, -9223372036854775808, 9007199254740993, -1]),
    ("real", ogr.OFTReal, 0, [0.0, 0.1, -1.5, 1e300, 0.1 + 0.2, 1e-300, 123456789.125, -0.0, 2**53 + 2.0]),
    ("odd", ogr.OFTReal, 0, [1.0] + INFINITE),
    ("float", ogr.OFTReal, ogr.OFSTFloat32, [0.0, 0.5, 3.4028234663852886e38, 0.10000000149011612]),
    ("text", ogr.OFTString, 0, TEXTS),
    ("json", ogr.OFTString, ogr.OFSTJSON, ['{"a":"\\n\\"x"}', "[]", "null"]),
    ("uuid", ogr.OFTString, ogr.OFSTUUID, ["6f1e6c3e-0e2f-4d4b-8f0e-2f1f6c1d9a10"]),
    ("date", ogr.OFTDate, 0, ["2024/02/29", "1900/01/01", "1969/12/31", "9999/12/31", "0101/01/01"]),
    ("time", ogr.OFTTime, 0, ["00:00:00", "23:59:59.999", "10:11:12.5", "12:00:01"]),
    ("moment", ogr.OFTDateTime, 0, [
        "2024/02/29 10:11:12+00", "2024/02/29 10:11:12.123+05:30", "1969/12/31 23:59:59.5-03:30",
        "2024/02/29 00:00:00", "9999/12/31 23:59:59+00", "1900/01/01 12:00:00+00",
    ]),
    ("binary", ogr.OFTBinary, 0, [b"\x89PNG\r\n\x1a\n\0\x01\\'\xff A", b"", bytes(range(256)), b"plain", b"\\x41"]),
    ("ints", ogr.OFTIntegerList, 0, [[1, -2], [2147483647], [0]]),
    ("longs", ogr.OFTInteger64List, 0, [[9223372036854775807, -9007199254740993], [1]]),
    ("reals", ogr.OFTRealList, 0, [[0.5, -1e300], [0.25]]),
    ("texts", ogr.OFTStringList, 0, LISTS),
    ("flags", ogr.OFTIntegerList, ogr.OFSTBoolean, [[1, 0], [0]]),
]

# Texts with which a driver writes a file that it cannot read.
NOT_WRITTEN = {"LIBKML": ["<&>]]>&amp;"]}
# Name, driver, file, options of the dataset and of the layer.
TARGETS = [
    ("GML 3", "GML", "a.gml", ["FORMAT=GML3.2", "GML_ID=a"], []),
    ("GML 2", "GML", "b.gml", ["FORMAT=GML2"], []),
    ("TAB", "MapInfo File", "c.tab", ["FORMAT=TAB", "ENCODING=UTF-8"], []),
    ("MIF", "MapInfo File", "d.mif", ["FORMAT=MIF", "ENCODING=UTF-8"], []),
    ("XLSX", "XLSX", "e.xlsx", [], []),
    ("ODS", "ODS", "f.ods", [], []),
    ("FileGDB", "OpenFileGDB", "g.gdb", [], []),
    ("SQLite", "SQLite", "h.sqlite", [], []),
    ("SpatiaLite", "SQLite", "i.sqlite", ["SPATIALITE=YES", "INIT_WITH_EPSG=NO"], []),
    ("GMT", "OGR_GMT", "j.gmt", [], []),
    ("JML", "JML", "k.jml", [], []),
    ("MapML", "MapML", "l.mapml", [], []),
    ("GeoRSS", "GeoRSS", "m.georss", ["USE_EXTENSIONS=YES"], []),
    ("VDV", "VDV", "n.x10", [], []),
    ("Shapefile", "ESRI Shapefile", "o.shp", [], ["ENCODING=UTF-8"]),
    ("GeoJSON", "GeoJSON", "p.geojson", [], ["SIGNIFICANT_FIGURES=17"]),
    ("CSV", "CSV", "q.csv", [], ["GEOMETRY=AS_WKT", "STRING_QUOTING=ALWAYS"]),
    ("GeoPackage", "GPKG", "r.gpkg", [], []),
    ("FlatGeobuf", "FlatGeobuf", "s.fgb", [], []),
    ("FlatGeobuf without index", "FlatGeobuf", "t.fgb", [], ["SPATIAL_INDEX=NO"]),
    ("LIBKML", "LIBKML", "v.kml", [], []),
    ("FileGDB without columns", "OpenFileGDB", "w.gdb", [], []),
    ("SQLite without columns", "SQLite", "x.sqlite", [], []),
    ("GeoPackage without columns", "GPKG", "y.gpkg", [], []),
    ("FlatGeobuf without columns", "FlatGeobuf", "z.fgb", [], []),
    ("TAB without columns", "MapInfo File", "za.tab", ["FORMAT=TAB"], []),
]
POINTS = ["POINT (1 2)", "POINT (-179.123456789012 89.5)", "POINT (0 0)"]


def set_value(feature, index, kind, value):
    if kind == ogr.OFTBinary:
        feature.SetFieldBinaryFromHexString(index, value.hex())
    elif kind == ogr.OFTIntegerList:
        feature.SetFieldIntegerList(index, value)
    elif kind == ogr.OFTInteger64List:
        feature.SetFieldInteger64List(index, value)
    elif kind == ogr.OFTRealList:
        feature.SetFieldDoubleList(index, value)
    elif kind == ogr.OFTStringList:
        feature.SetFieldStringList(index, value)
    elif kind == ogr.OFTInteger64:
        feature.SetFieldInteger64(index, value)
    else:
        feature.SetField(index, value)


def can_hold(driver, name):
    metadata = driver.GetMetadata()
    types = (metadata.get("DMD_CREATIONFIELDDATATYPES") or "String").split()
    kinds = {ogr.OFTInteger: "Integer", ogr.OFTInteger64: "Integer64", ogr.OFTReal: "Real", ogr.OFTString: "String",
             ogr.OFTDate: "Date", ogr.OFTTime: "Time", ogr.OFTDateTime: "DateTime", ogr.OFTBinary: "Binary",
             ogr.OFTIntegerList: "IntegerList", ogr.OFTInteger64List: "Integer64List",
             ogr.OFTRealList: "RealList", ogr.OFTStringList: "StringList"}
    return kinds[next(kind for field, kind, _, _ in FIELDS if field == name)] in types


def write(folder, name, driver_name, file, dataset_options, layer_options):
    driver = ogr.GetDriverByName(driver_name)
    path = os.path.join(folder, file)
    dataset = driver.CreateDataSource(path, dataset_options)
    layer = dataset.CreateLayer("t", geom_type=ogr.wkbPoint, options=layer_options)
    fields = [field for field in FIELDS if can_hold(driver, field[0]) and not name.endswith("without columns")]
    made = []
    for field, kind, subtype, values in fields:
        definition = ogr.FieldDefn(field, kind)
        definition.SetSubType(subtype)
        if field == "text" and driver_name == "MapInfo File":
            definition.SetWidth(254)
        try:
            layer.CreateField(definition)
        except RuntimeError:
            continue
        if layer.GetLayerDefn().GetFieldIndex(field) >= 0:
            made.append((field, kind, values))
    count = max((len(values) for _, _, values in made), default=3)
    for row in range(count + 1):
        for keeps in (made, made[:1]):
            feature = ogr.Feature(layer.GetLayerDefn())
            if row < count:
                for field, kind, values in keeps:
                    value = values[row % len(values)]
                    if value not in NOT_WRITTEN.get(name, []):
                        set_value(feature, layer.GetLayerDefn().GetFieldIndex(field), kind, value)
            if row != 2:
                feature.SetGeometry(ogr.CreateGeometryFromWkt(POINTS[row % len(POINTS)]))
            try:
                layer.CreateFeature(feature)
                break
            except RuntimeError:
                continue
    layer = None
    dataset = None
    return path


def told(feature, index):
    if not feature.IsFieldSetAndNotNull(index):
        return None
    definition = feature.GetFieldDefnRef(index)
    kind = definition.GetType()
    if kind in (ogr.OFTInteger, ogr.OFTInteger64):
        return str(feature.GetFieldAsInteger64(index))
    if kind == ogr.OFTReal:
        return repr(feature.GetFieldAsDouble(index))
    if kind == ogr.OFTBinary:
        return bytes(feature.GetFieldAsBinary(index)).hex()
    if kind in (ogr.OFTDate, ogr.OFTTime, ogr.OFTDateTime):
        return feature.GetFieldAsDateTime(index)
    if kind == ogr.OFTIntegerList:
        return [str(item) for item in feature.GetFieldAsIntegerList(index)]
    if kind == ogr.OFTInteger64List:
        return [str(item) for item in feature.GetFieldAsInteger64List(index)]
    if kind == ogr.OFTRealList:
        return [repr(item) for item in feature.GetFieldAsDoubleList(index)]
    if kind == ogr.OFTStringList:
        return feature.GetFieldAsStringList(index) or []
    return feature.GetFieldAsString(index)


def tell(path, driver_name):
    dataset = gdal.OpenEx(path, gdal.OF_VECTOR | gdal.OF_READONLY, allowed_drivers=[driver_name])
    layers = []
    for number in range(dataset.GetLayerCount()):
        layer = dataset.GetLayer(number)
        definition = layer.GetLayerDefn()
        fields = []
        for index in range(definition.GetFieldCount()):
            field = definition.GetFieldDefn(index)
            subtype = field.GetSubType()
            suffix = f"({ogr.GetFieldSubTypeName(subtype)})" if subtype != ogr.OFSTNone else ""
            fields.append({"name": field.GetName(), "type": ogr.GetFieldTypeName(field.GetType()) + suffix})
        rows = []
        for feature in layer:
            geometry = feature.GetGeometryRef()
            rows.append({
                "geometry": None if geometry is None else geometry.ExportToIsoWkb(ogr.wkbNDR).hex(),
                "fid": feature.GetFID(),
                "values": [told(feature, index) for index in range(definition.GetFieldCount())],
            })
        layers.append({
            "name": layer.GetName(), "key": layer.GetFIDColumn(), "fields": fields, "rows": rows,
            "geometryType": ogr.GeometryTypeToName(definition.GetGeomType()),
        })
    return layers


def main():
    asked = json.load(sys.stdin)
    files = list(asked.get("files", []))
    if asked.get("write"):
        for name, driver, file, dataset_options, layer_options in TARGETS:
            if ogr.GetDriverByName(driver) is None:
                continue
            path = write(asked["folder"], name, driver, file, dataset_options, layer_options)
            files.append({"name": name, "path": path, "driver": driver})
    for file in files:
        config = asked["config"].get(file["driver"], {})
        for key, value in config.items():
            gdal.SetConfigOption(key, value)
        try:
            answer = {"layers": tell(file["path"], file["driver"])}
        except (RuntimeError, UnicodeDecodeError, AttributeError) as error:
            answer = {"error": str(error), "layers": []}
        for key in config:
            gdal.SetConfigOption(key, None)
        print(json.dumps({**file, **answer}))


main()
