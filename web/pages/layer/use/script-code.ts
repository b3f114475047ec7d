import { quote } from '../../../api/curl.ts'
import { collectionAddress, maxFeatures, ogcAddress, tilesAddress, type UsedLayer } from './used-layer.ts'

/** A text as a literal of Python and of R. */
function literal(text: string): string {
  return JSON.stringify(text)
}

/** Returns the name of a file made from a layer. */
function fileName({ id }: UsedLayer, ending: string): string {
  const name = id
    .slice(id.indexOf(':') + 1)
    .replaceAll(/[^\p{L}\p{N}_-]+/gu, '_')
    .slice(0, 80)
  return `${name.replace(/^-+/, '_')}.${ending}`
}

function items(layer: UsedLayer): string {
  return `${collectionAddress(layer)}/items`
}

export function curlCode(layer: UsedLayer): string {
  const login = layer.isPublic ? '' : ` -H ${quote('Authorization: Bearer TOKEN')}`
  if (layer.kind !== 'raster') return layer.isLarge ? downloadCode(layer, login) : itemsCode(layer, login)
  const { file } = layer
  return file === undefined
    ? `curl${login} -o ${quote(fileName(layer, 'png'))} ${quote(`${tilesAddress(layer)}/thumbnail.png`)}`
    : `curl${login} -o ${quote(fileName(layer, 'tif'))} ${quote(file)}`
}

function itemsCode(layer: UsedLayer, login: string): string {
  const address = `${items(layer)}?limit=${maxFeatures}`
  return `curl${login} -o ${quote(fileName(layer, 'geojson'))} ${quote(address)}`
}

/** All rows, made as a file in the background. */
function downloadCode(layer: UsedLayer, login: string): string {
  const address = `${collectionAddress(layer)}/download?f=geojson`
  return `JOB=$(curl -s${login} -H 'Prefer: respond-async' -D - -o /dev/null ${quote(address)} | tr -d '\\r' | sed -n 's/^[Ll]ocation: //p')
until curl -s${login} "$JOB" | grep -Eq '"state":"(COMPLETE|ERROR)"'; do sleep 1; done
curl -f${login} -o ${quote(fileName(layer, 'geojson'))} "$JOB/file"`
}

export function gdalCode(layer: UsedLayer): string {
  const login = layer.isPublic ? '' : 'export GDAL_HTTP_HEADERS="Authorization: Bearer TOKEN"\n'
  if (layer.kind !== 'raster')
    return `${login}ogr2ogr -oo PAGE_SIZE=1000 ${quote(fileName(layer, 'gpkg'))} ${quote(`OAPIF:${ogcAddress()}`)} ${quote(layer.id)}`
  return `${login}gdal_translate ${quote(`/vsicurl/${layer.file ?? ''}`)} ${quote(fileName(layer, 'tif'))}`
}

export function rCode(layer: UsedLayer): string {
  const login = layer.isPublic ? '' : 'Sys.setenv(GDAL_HTTP_HEADERS = "Authorization: Bearer TOKEN")\n'
  if (layer.kind === 'raster')
    return `library(terra)\n${login}layer <- rast(${literal(`/vsicurl/${layer.file ?? ''}`)})\nplot(layer)`
  return `library(sf)
${login}layer <- st_read(${literal(`OAPIF:${ogcAddress()}`)}, ${literal(layer.id)}, options = "PAGE_SIZE=1000")
${layer.kind === 'table' ? 'head(layer)' : 'plot(layer[1])'}`
}

export function pythonCode(layer: UsedLayer): string {
  const headers = layer.isPublic ? '{}' : '{"Authorization": "Bearer TOKEN"}'
  if (layer.kind === 'raster')
    return `import shutil, urllib.request

request = urllib.request.Request(${literal(layer.file ?? '')}, headers=${headers})
with urllib.request.urlopen(request) as reply, open(${literal(fileName(layer, 'tif'))}, "wb") as file:
    shutil.copyfileobj(reply, file)`
  return `import json, urllib.request

address = ${literal(`${items(layer)}?limit=1000`)}
features = []
while address:
    request = urllib.request.Request(address, headers=${headers})
    with urllib.request.urlopen(request) as reply:
        page = json.load(reply)
    features += page["features"]
    address = next((link["href"] for link in page["links"] if link["rel"] == "next"), None)
print(len(features), "rows, the first one:", features[0]["properties"] if features else None)

# With geopandas (pip install geopandas):
# import geopandas
# frame = geopandas.GeoDataFrame.from_features(features, crs="OGC:CRS84")`
}
