import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { runProgram } from '../../../src/core/process/process.ts'
import { rasterSteps } from '../../../src/transforms/raster-chain.ts'
import { TransformError } from '../../../src/transforms/transform.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'

const fixture = 'tests/fixtures/raster/RGB.byte.tif'
const utm =
  'PROJCS["WGS 84 / UTM zone 18N",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",-75],PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],PARAMETER["false_northing",0],UNIT["metre",1]]'
const wkt2 =
  'GEOGCRS["WGS 84",DATUM["World Geodetic System 1984",ELLIPSOID["WGS 84",6378137,298.257223563,LENGTHUNIT["metre",1]]],PRIMEM["Greenwich",0,ANGLEUNIT["degree",0.0174532925199433]],CS[ellipsoidal,2],AXIS["latitude",north,ORDER[1]],AXIS["longitude",east,ORDER[2]],ANGLEUNIT["degree",0.0174532925199433],ID["EPSG",4326]]'
const small = ['-outsize', '64', '64']

const translate: string[][] = [
  [],
  ['-of', 'GTiff', '-co', 'TILED=YES', '-co', 'BLOCKXSIZE=256', '-co', 'BLOCKYSIZE=256'],
  ['-of', 'cog', ...small],
  ['-of', 'COG', '-co', 'COMPRESS=DEFLATE', '-co', 'LEVEL=3', '-co', 'BLOCKSIZE=128', ...small],
  ['-co', 'compress=lzw', '-co', 'PREDICTOR=2', '-co', 'NUM_THREADS=2'],
  ['-co', 'COMPRESS=JPEG', '-co', 'PHOTOMETRIC=YCBCR', '-co', 'JPEG_QUALITY=80', '-co', 'INTERLEAVE=PIXEL'],
  ['-b', '3', '-b', '2', '-b', '1'],
  ['-outsize', '10%', '10%', '-r', 'average'],
  ['-outsize', '50', '0', '-strict', '-q'],
  ['-tr', '3000', '3000'],
  ['-srcwin', '10', '10', '50', '50', '-epo'],
  ['-projwin', '200000', '2800000', '250000', '2700000', '-projwin_srs', 'EPSG:32618'],
  ['-projwin', '-78', '25', '-77', '24', '-projwin_srs', 'WGS84', '-eco'],
  ['-scale', '-ot', 'UInt16'],
  ['-scale', '0', '255', ...small],
  ['-scale', '0', '255', '0', '65535', '-ot', 'UInt16', ...small],
  ['-scale_1', '0', '255', '255', '0', '-scale_2', '0', '10', '-exponent_1', '0.5', ...small],
  ['-a_srs', 'epsg:32618', '-a_nodata', 'none', '-a_ullr', '-1.5', '1e1', '2', '-.5'],
  ['-a_srs', utm, ...small],
  ['-a_srs', '+proj=utm +zone=18 +datum=WGS84 +units=m +no_defs', ...small],
  ['-a_srs', 'urn:ogc:def:crs:EPSG::32618', '-a_scale', '0.1', '-a_offset', '-5', ...small],
  ['-gcp', '0', '0', '-78', '25', '-gcp', '100', '0', '-77', '25', '0', '-gcp', '0', '100', '-78', '24'],
  ['-mask', '1', '-b', '1', ...small],
  ['-colorinterp', 'blue,green,red', ...small],
  ['-colorinterp_1', 'gray', '-mo', 'TIFFTAG_ARTIST=A. Person', '-stats', ...small],
  ['-ovr', 'NONE', '-noxmp', '-norat', '-nogcp', '-unscale', ...small],
]

const ts = ['-ts', '60', '60']
const warp: string[][] = [
  ['-t_srs', 'EPSG:4326', ...ts],
  ['-s_srs', 'EPSG:32618', '-t_srs', 'http://www.opengis.net/def/crs/EPSG/0/3857', '-r', 'cubic', ...ts],
  ['-t_srs', wkt2, ...ts],
  ['-t_srs', '+proj=laea +lat_0=24 +lon_0=-77 +ellps=GRS80', '-tr', '5000', '5000', '-tap'],
  ['-te', '-78', '24', '-77', '25', '-te_srs', 'EPSG:4326', ...ts],
  ['-ot', 'Float32', '-wt', 'Float32', '-srcnodata', '0 0 0', '-dstnodata', '-9999', ...ts],
  ['-dstalpha', '-srcnodata', 'None', '-multi', '-wo', 'NUM_THREADS=2', '-wm', '100', ...ts],
  ['-of', 'COG', '-co', 'COMPRESS=LZW', '-t_srs', 'EPSG:3857', ...ts],
  ['-to', 'ALLOW_BALLPARK=NO', '-et', '0.5', '-novshift', '-overwrite', '-nomd', '-setci', ...ts],
  ['-order', '1', '-ovr', 'AUTO-1', '-wo', 'INIT_DEST=NO_DATA', '-wo', 'SOURCE_EXTRA=5', '-q', ...ts],
]

const overview: string[][] = [
  [],
  ['-r', 'average'],
  ['-r', 'cubic', '-b', '1', '-b', '2'],
  ['-r', 'gauss', '-q'],
  ['-minsize', '100'],
]

/** Runs the programs of the chain in order, as an import does. */
async function run(folder: string, type: string, options: string[], more: object = {}): Promise<string> {
  let input = fixture
  for (const [index, { transform, spec }] of rasterSteps([{ type, options, ...more }]).entries()) {
    const output = join(folder, `${index}.tif`)
    await runProgram(transform.program, transform.arguments(spec, { input, output, drivers: ['GTiff'] }))
    input = output
  }
  return input
}

describe('options of raster tools that are allowed', () => {
  it('are understood by gdal_translate', async (test) => {
    for (const options of translate) {
      await run(temporaryFolder(test), 'RasterTranslateTransform', options)
    }
  })

  it('are understood by gdalwarp', async (test) => {
    for (const options of warp) await run(temporaryFolder(test), 'RasterWarpTransform', options)
  })

  it('are understood by gdaladdo', async (test) => {
    for (const options of overview) {
      const folder = temporaryFolder(test)
      const path = await run(folder, 'RasterTranslateTransform', ['-outsize', '400', '400'])
      for (const levels of [[4, 2, 4], []]) {
        const [step] = rasterSteps([{ type: 'RasterOverviewTransform', options, levels }])
        assert.ok(step)
        const args = step.transform.arguments(step.spec, { input: path, output: path, drivers: [] })
        await runProgram(step.transform.program, args)
      }
    }
  })
})

describe('arguments of raster tools', () => {
  const argumentsOf = (type: string, options: string[], more: object = {}): string[] => {
    const [step] = rasterSteps([{ type, options, ...more }])
    assert.ok(step)
    const files = { input: 'in.tif', output: 'out.tif', drivers: ['GTiff'], srs: 'EPSG:32618' }
    return step.transform.arguments(step.spec, files)
  }

  it('name the drivers that may read, the CRS that was given, and room for large files', () => {
    assert.deepEqual(argumentsOf('RasterTranslateTransform', ['-b', '1']), [
      '-if',
      'GTiff',
      '-a_srs',
      'EPSG:32618',
      '-co',
      'BIGTIFF=IF_SAFER',
      '-b',
      '1',
      'in.tif',
      'out.tif',
    ])
    assert.deepEqual(argumentsOf('RasterWarpTransform', ['-multi', '-co', 'bigtiff=NO']), [
      '-if',
      'GTiff',
      '-s_srs',
      'EPSG:32618',
      '-multi',
      '-co',
      'bigtiff=NO',
      'in.tif',
      'out.tif',
    ])
  })

  it('hold a CRS as its code, and the one of the options rather than the one given', () => {
    const args = argumentsOf('RasterWarpTransform', [
      '-s_srs',
      'urn:ogc:def:crs:EPSG::4267',
      '-t_srs',
      'crs:84',
    ])
    assert.ok(args.join(' ').includes('-s_srs EPSG:4267 -t_srs EPSG:4326'))
    assert.ok(!args.includes('EPSG:32618'))
  })

  it('hold overview levels in ascending order, each once', () => {
    const args = argumentsOf('RasterOverviewTransform', ['-r', 'mode'], { levels: [8, 2, 4, 2] })
    assert.deepEqual(args, ['-r', 'mode', 'in.tif', '2', '4', '8'])
  })

  it('are never read from a text that stands in no option, whatever the texts are', () => {
    const words = [
      '-co',
      'TILED=YES',
      '-b',
      '1',
      '-scale',
      '0.5',
      '-a_srs',
      'EPSG:4326',
      '/etc/passwd',
      '-gcp',
    ]
    const text = fc.oneof(fc.constantFrom(...words), fc.string())
    const types = fc.constantFrom('RasterTranslateTransform', 'RasterWarpTransform')
    fc.assert(
      fc.property(types, fc.array(text, { maxLength: 12 }), (type, options) => {
        let args: string[]
        try {
          args = argumentsOf(type, options)
        } catch (error) {
          assert.ok(error instanceof TransformError, String(error))
          return
        }
        assert.ok(!args.includes('/etc/passwd'))
        assert.ok(args.filter((one) => one.includes('/')).length === 0)
        assert.deepEqual(args.slice(-2), ['in.tif', 'out.tif'])
      }),
      { numRuns: 2000 },
    )
  })
})
