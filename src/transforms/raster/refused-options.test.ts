import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { validateTransform } from '../chain.ts'
import { TransformError } from '../transform.ts'

const wktWithGrid =
  'GEOGCS["x",DATUM["x",SPHEROID["x",6378137,298.25],EXTENSION["PROJ4_GRIDS","/etc/passwd"]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]]'
const wktWithProj =
  'PROJCS["x",GEOGCS["x",DATUM["x",SPHEROID["x",6378137,298.25]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Mercator_1SP"],UNIT["metre",1],EXTENSION["PROJ4","+proj=merc +nadgrids=/etc/passwd"]]'
const wkt2WithFile =
  'PROJCRS["x",BASEGEOGCRS["x",DATUM["x",ELLIPSOID["x",6378137,298.25]]],CONVERSION["x",METHOD["NTv2"],PARAMETERFILE["Latitude and longitude difference file","/etc/passwd"]],CS[Cartesian,2],AXIS["x",east],AXIS["y",north],LENGTHUNIT["metre",1]]'
const wkt2WithPipeline =
  'PROJCRS["x",BASEGEOGCRS["x",DATUM["x",ELLIPSOID["x",6378137,298.25]]],CONVERSION["x",METHOD["PROJ-based operation method: +proj=vgridshift +grids=/etc/passwd"]],CS[Cartesian,2],AXIS["x",east],AXIS["y",north],LENGTHUNIT["metre",1]]'
const boundCrs =
  'BOUNDCRS[SOURCECRS[GEOGCRS["x"]],TARGETCRS[GEOGCRS["y"]],ABRIDGEDTRANSFORMATION["x",METHOD["NTv2"],PARAMETERFILE["f","/etc/passwd"]]]'

/** Texts that the programs would interpret as a file, a URL, or a definition that names one. */
const hostileCrs = [
  '/etc/passwd',
  'secret.prj',
  './secret.prj',
  '../../secret.prj',
  'file:///etc/passwd',
  'http://127.0.0.1:9/crs',
  'https://example.com/epsg/4326',
  '/vsicurl/http://127.0.0.1:9/x',
  'ESRI::/etc/passwd',
  'IGNF:LAMB93X',
  'EPSG:0',
  'EPSG:4326 ; touch x',
  '4326',
  '+init=epsg:4326',
  '+proj=longlat +nadgrids=/etc/passwd',
  '+proj=longlat +geoidgrids=@egm.gtx',
  '+proj=pipeline +step +proj=hgridshift +grids=/etc/passwd',
  '+proj=utm +zone=18 +x_0=/etc/passwd',
  '-overwrite',
  '',
  wktWithGrid,
  wktWithProj,
  wkt2WithFile,
  wkt2WithPipeline,
  boundCrs,
  'GEOGCS[',
  'GEOGCS["x"',
]

const translate: string[][] = [
  ['/etc/passwd'],
  ['other.tif'],
  ['-co', 'TILED=YES', '/tmp/out.tif'],
  ['--config', 'GDAL_DATA', '/tmp'],
  ['--optfile', '/etc/passwd'],
  ['--debug', 'on'],
  ['--version'],
  ['--help'],
  ['-of', 'VRT'],
  ['-of', 'PDF'],
  ['-of', 'GTiff:/tmp/x'],
  ['-f', 'VRT'],
  ['-if', 'VRT'],
  ['-oo', 'NUM_THREADS=4'],
  ['-sds'],
  ['-co', 'TFW=YES'],
  ['-co', 'WORLDFILE=YES'],
  ['-co', 'RPB=YES'],
  ['-co', 'RPCTXT=YES'],
  ['-co', 'PROFILE=BASELINE'],
  ['-co', 'TILING_SCHEME=/etc/passwd'],
  ['-co', 'TILING_SCHEME=http://127.0.0.1/x.json'],
  ['-co', 'TARGET_SRS=/etc/passwd'],
  ['-co', 'SOURCE_ICC_PROFILE=AAAA'],
  ['-co', 'COMPRESS=/etc/passwd'],
  ['-co', 'COMPRESS'],
  ['-co', 'COMPRESS='],
  ['-co', 'NUM_THREADS=5000'],
  ['-co', '__proto__=1'],
  ['-co'],
  ['-a_srs'],
  ['-projwin_srs', '/etc/passwd'],
  ['-a_srs', 'EPSG:4326', 'EPSG:3857'],
  ['-scale', '1'],
  ['-scale', '1', '2', '3'],
  ['-scale', '1', '2', '3', '4', '5'],
  ['-scale_0', '1', '2'],
  ['-scale_x', '1', '2'],
  ['-gcp', '1', '2', '3'],
  ['-gcp', '1', '2', '3', '4', '5', '6'],
  ['-outsize', '100'],
  ['-outsize', '-100', '100'],
  ['-outsize', '50%', 'x'],
  ['-srcwin', '0', '0', '10'],
  ['-projwin', '0', '0', '10', 'ten'],
  ['-tr', '1e9999', '1'],
  ['-ot', 'Text'],
  ['-r', 'near'],
  ['-b', '0'],
  ['-b', '-1'],
  ['-b', 'all'],
  ['-mask', '/tmp/mask.tif'],
  ['-expand', 'cmyk'],
  ['-colorinterp', 'red,/tmp/x'],
  ['-a_nodata', 'file'],
  ['-mo', 'NAME'],
  ['-mo', 'OVERVIEWS:OVERVIEW_FILE=/tmp/x.tif'],
  ['-mo', 'A=b\nc'],
  ['-A_SRS', 'EPSG:4326'],
  ['-a_srs EPSG:4326'],
  ['-co TILED=YES'],
  ['-strict\0'],
  ['-strict', ''],
  ['toString'],
  ['-'],
  ['-co', 'TILED=YES\r'],
  Array.from({ length: 3001 }, () => '-strict'),
  ['-mo', `A=${'x'.repeat(1001)}`],
  Array.from({ length: 100 }, () => ['-mo', `A=${'x'.repeat(900)}`]).flat(),
]

const warp: string[][] = [
  ['-cutline', '/tmp/line.shp'],
  ['-cutline', 'PG:host=db'],
  ['-csql', 'select 1'],
  ['-cl', 'layer'],
  ['-cwhere', 'a=1'],
  ['-cblend', '2'],
  ['-crop_to_cutline'],
  ['-ct', '+proj=pipeline +step +proj=hgridshift +grids=/etc/passwd'],
  ['-geoloc'],
  ['-of', 'COG', '/tmp/out.tif'],
  ['-of', 'ENVI'],
  ['-oo', 'X=Y'],
  ['-doo', 'X=Y'],
  ['-if', 'VRT'],
  ['-to', 'RPC_DEM=/etc/passwd'],
  ['-to', 'SRC_GEOLOC_ARRAY=/etc/passwd'],
  ['-to', 'COORDINATE_OPERATION=+proj=pipeline'],
  ['-to', 'SRC_SRS=/etc/passwd'],
  ['-to', 'SRC_METHOD=GEOLOC_ARRAY'],
  ['-wo', 'CUTLINE=POLYGON((0 0,1 1,1 0,0 0))'],
  ['-wo', 'NUM_THREADS=100000'],
  ['-wo', 'INIT_DEST=/etc/passwd'],
  ['-te', '0', '0', '1'],
  ['-te', '0', '0', '1', '/etc/passwd'],
  ['-te_srs', '/etc/passwd'],
  ['-ts', '100', '1e3'],
  ['-ts', '-1', '100'],
  ['-tr', '30'],
  ['-r', 'nearest'],
  ['-wm', '100000'],
  ['-wm', '500MB'],
  ['-order', '4'],
  ['-refine_gcps'],
  ['-refine_gcps', '1', '0'],
  ['-srcnodata', '0 x'],
  ['-cvmd', '/tmp/../x'],
  ['-t_srs', 'EPSG:3857', 'other.tif'],
  ['-scale', '0', '1'],
  ['--config', 'GDAL_VRT_ENABLE_PYTHON', 'YES'],
]

const overview: string[][] = [
  ['-ro'],
  ['-clean'],
  ['-oo', 'X=Y'],
  ['--config', 'COMPRESS_OVERVIEW', 'JPEG'],
  ['other.tif'],
  ['2'],
  ['-r', 'max'],
  ['-b', 'x'],
  ['-minsize', '-1'],
  ['-t_srs', 'EPSG:3857'],
]

function assertRefused(type: string, options: string[]): void {
  const levels = type === 'RasterOverviewTransform' ? { levels: [2] } : {}
  const output = `${type} took ${JSON.stringify(options).slice(0, 300)}`
  assert.throws(() => validateTransform({ type, options, ...levels }), TransformError, output)
}

describe('options of raster tools that are refused', () => {
  it('are those of gdal_translate that read, write or set up anything else, or do not fit', () => {
    for (const options of translate) assertRefused('RasterTranslateTransform', options)
  })

  it('are those of gdalwarp', () => {
    for (const options of warp) assertRefused('RasterWarpTransform', options)
  })

  it('are those of gdaladdo', () => {
    for (const options of overview) assertRefused('RasterOverviewTransform', options)
  })

  it('are CRS texts that would make GDAL open a file or an address', () => {
    for (const crs of hostileCrs) {
      assertRefused('RasterTranslateTransform', ['-a_srs', crs])
      assertRefused('RasterWarpTransform', ['-s_srs', crs])
      assertRefused('RasterWarpTransform', ['-t_srs', crs])
    }
  })

  it('say why, and what to do', () => {
    const messageOf = (type: string, options: string[]): string => {
      try {
        validateTransform({ type, options })
        return ''
      } catch (error) {
        return (error as Error).message
      }
    }
    assert.match(messageOf('RasterWarpTransform', ['-cutline', 'x']), /-cutline.*another dataset/)
    assert.match(messageOf('RasterWarpTransform', ['--config', 'a', 'b']), /--config.*not allowed/)
    assert.match(messageOf('RasterWarpTransform', ['-t_srs EPSG:3857']), /separate strings, "-t_srs"/)
    assert.match(messageOf('RasterWarpTransform', ['-t_srs', 'x.prj']), /code of a known CRS.*found "x.prj"/)
    assert.match(messageOf('RasterWarpTransform', ['-tr', '1']), /-tr.*has no value: expected a number/)
  })
})

describe('parameters of raster transformations that are refused', () => {
  it('are options that are no texts, and levels that are no whole numbers from 2', () => {
    const bad = [
      { type: 'RasterTranslateTransform' },
      { type: 'RasterTranslateTransform', options: null },
      { type: 'RasterTranslateTransform', options: '-strict' },
      { type: 'RasterTranslateTransform', options: [1] },
      { type: 'RasterWarpTransform', options: [['-multi']] },
      { type: 'RasterOverviewTransform', options: [] },
      { type: 'RasterOverviewTransform', levels: [2] },
      ...[0, 1, -2, 2.5, 'two', null, 1e9].map((level) => ({
        type: 'RasterOverviewTransform',
        options: [],
        levels: [level],
      })),
      { type: 'RasterOverviewTransform', options: [], levels: 2 },
      { type: 'RasterOverviewTransform', options: [], levels: Array.from({ length: 33 }, (_, n) => n + 2) },
    ]
    for (const spec of bad) assert.throws(() => validateTransform(spec), TransformError, JSON.stringify(spec))
  })
})
