import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { mutation } from '../../../tests/support/mutations.ts'
import { temporaryFolder } from '../../../tests/support/temporary-files.ts'
import { sameValues } from '../../../tests/support/without-undefined.ts'
import { runProgram } from '../../core/process/process.ts'
import { scanFile } from '../../inputs/scan.ts'
import type { LayerDescription } from '../format.ts'
import { FormatError } from '../format.ts'
import { detectFormat } from '../registry.ts'

const fixtures = 'tests/fixtures/raster'
const { signal } = new AbortController()

async function describeFile(path: string): Promise<{ format: string; layer: LayerDescription }> {
  const file = await scanFile(path, signal)
  const format = await detectFormat(file, signal)
  assert.ok(format, `nothing reads ${path}`)
  const [layer, ...others] = await format.describe(file, { signal })
  assert.ok(layer && others.length === 0)
  return { format: format.name, layer }
}

async function formatOf(path: string): Promise<string | undefined> {
  return (await detectFormat(await scanFile(path, signal), signal))?.name
}

/** Creates a small copy of a fixture, in another format. */
async function translate(test: TestContext, name: string, ...options: string[]): Promise<string> {
  const path = join(temporaryFolder(test), name)
  await runProgram('gdal_translate', [
    '-q',
    '-outsize',
    '40',
    '40',
    ...options,
    `${fixtures}/RGB.byte.tif`,
    path,
  ])
  return path
}

describe('a GeoTIFF', () => {
  it('is described by its cells, place and CRS', async () => {
    const { format, layer } = await describeFile(`${fixtures}/RGB.byte.tif`)
    assert.equal(format, 'GeoTIFF')
    assert.equal(layer.name, 'RGB.byte')
    sameValues(layer.schema, { attributes: [], geometry: undefined })
    sameValues(layer.envelope, { minX: 101985, minY: 2611485, maxX: 339315, maxY: 2826915 })
    const { crs, ...raster } = layer.raster ?? assert.fail('no raster')
    assert.equal(crs?.srs, 'EPSG:32618')
    assert.match(crs?.wkt ?? '', /^PROJCRS\["WGS 84 \/ UTM zone 18N"/)
    sameValues(raster, {
      width: 791,
      height: 718,
      bands: [
        { dataType: 'Byte', noData: 0, color: 'Red' },
        { dataType: 'Byte', noData: 0, color: 'Green' },
        { dataType: 'Byte', noData: 0, color: 'Blue' },
      ],
      geoTransform: [101985, 300.0379266750948, 0, 2826915, 0, -300.041782729805],
      overviews: [],
      sizeBytes: 1_745_956,
    })
  })

  it('that is turned has the envelope of its corners, one upside down that of its cells', async () => {
    const turned = await describeFile(`${fixtures}/rotated.tif`)
    sameValues(turned.layer.envelope, {
      minX: 100,
      minY: 70.0961894323342,
      maxX: 348.20508075688775,
      maxY: 300,
    })
    assert.equal(turned.layer.raster?.crs, undefined)
    const upsideDown = await describeFile(`${fixtures}/float_nan.tif`)
    sameValues(upsideDown.layer.envelope, { minX: 0, minY: 0, maxX: 300, maxY: 200 })
    sameValues(upsideDown.layer.raster?.bands, [{ dataType: 'Float32', noData: 'nan', color: 'Gray' }])
  })

  it('may be cloud-optimised, large-file, or have overviews and a mask beside it', async (test) => {
    const cloud = await translate(
      test,
      'cloud.tif',
      '-of',
      'COG',
      '-co',
      'BLOCKSIZE=128',
      '-co',
      'OVERVIEWS=NONE',
    )
    assert.equal((await describeFile(cloud)).format, 'GeoTIFF')
    const big = await translate(test, 'big.tif', '-co', 'BIGTIFF=YES')
    assert.equal((await describeFile(big)).layer.raster?.width, 40)
    await runProgram('gdaladdo', ['-q', '-ro', big, '2', '4'])
    const { raster } = (await describeFile(big)).layer
    sameValues(raster?.overviews, [
      { width: 20, height: 20 },
      { width: 10, height: 10 },
    ])
    const bytes = [big, `${big}.ovr`].reduce((sum, path) => sum + readFileSync(path).length, 0)
    assert.equal(raster?.sizeBytes, bytes)
  })

  it('without extension or with another is known by its content', async (test) => {
    const folder = temporaryFolder(test)
    copyFileSync(`${fixtures}/RGB.byte.tif`, join(folder, 'photo.dat'))
    assert.equal(await formatOf(join(folder, 'photo.dat')), 'GeoTIFF')
  })

  it('that lies by control points counts them and has no envelope', async (test) => {
    const corners = [
      ['0', '0', '10', '50'],
      ['40', '0', '11', '50'],
      ['0', '40', '10', '49'],
    ]
    const options = corners.flatMap((corner) => ['-gcp', ...corner])
    const path = await translate(test, 'points.tif', ...options)
    const { layer } = await describeFile(path)
    assert.equal(layer.raster?.controlPointCount, 3)
    assert.equal(layer.envelope, undefined)
    assert.equal(layer.raster?.geoTransform, undefined)
  })
})

describe('an image with a world file', () => {
  for (const [name, driver, world] of [
    ['photo.jpg', 'JPEG', 'jgw'],
    ['photo.JPEG', 'JPEG', 'wld'],
    ['photo.png', 'PNG', 'pgw'],
    ['photo.gif', 'GIF', 'gfw'],
    ['photo.bmp', 'BMP', 'bpw'],
  ] as const) {
    it(`${name} and .${world}, with its CRS in a .prj`, async (test) => {
      const path = await translate(test, name, '-of', driver, ...(driver === 'GIF' ? ['-b', '1'] : []))
      const base = path.slice(0, path.lastIndexOf('.'))
      for (const entry of readdirSync(join(path, '..')))
        if (entry.endsWith('.xml')) writeFileSync(join(path, '..', entry), '')
      writeFileSync(`${base}.${world}`, '10\n0\n0\n-10\n1005\n1995\n')
      writeFileSync(
        `${base}.prj`,
        'PROJCS["ETRS_1989_UTM_Zone_32N",GEOGCS["GCS_ETRS_1989",DATUM["D_ETRS_1989",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",9.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]',
      )
      const { format, layer } = await describeFile(path)
      assert.equal(format, 'WorldImage')
      sameValues(layer.envelope, { minX: 1000, minY: 1600, maxX: 1400, maxY: 2000 })
      assert.equal(layer.raster?.crs?.srs, 'EPSG:25832')
    })
  }

  it('takes place and CRS from an auxiliary file, and nothing else of it', async (test) => {
    const path = await translate(test, 'photo.png', '-of', 'PNG')
    const other = join(path, '..', 'other.tif')
    copyFileSync(`${fixtures}/world.byte.tif`, other)
    const auxiliary = readFileSync(`${path}.aux.xml`, 'utf8').replace(
      '</PAMDataset>',
      `<Metadata domain="OVERVIEWS"><MDI key="OVERVIEW_FILE">${other}</MDI></Metadata></PAMDataset>`,
    )
    await runProgram('gdaladdo', ['-q', other, '2'])
    writeFileSync(`${path}.aux.xml`, auxiliary)
    const { layer } = await describeFile(path)
    assert.equal(layer.raster?.crs?.srs, 'EPSG:32618')
    assert.equal(layer.envelope?.maxY, 2826915)
    sameValues(layer.raster?.overviews, [])
  })

  it('has no place when there is none', async (test) => {
    const path = await translate(test, 'photo.png', '-of', 'PNG')
    writeFileSync(`${path}.aux.xml`, 'not XML')
    const { layer } = await describeFile(path)
    assert.equal(layer.envelope, undefined)
    assert.equal(layer.raster?.crs, undefined)
  })
})

describe('other rasters', () => {
  const grey = ['-b', '1']
  for (const [name, driver, format, options] of [
    ['a.jp2', 'JP2OpenJPEG', 'JPEG-2000 driver based on OpenJPEG library', []],
    ['a.webp', 'WEBP', 'WEBP', []],
    ['a.img', 'HFA', 'Erdas Imagine Images (.img)', []],
    ['a.asc', 'AAIGrid', 'Arc/Info ASCII Grid', grey],
    ['a.grd', 'GSBG', 'Golden Software Binary Grid (.grd)', grey],
    ['b.grd', 'GS7BG', 'Golden Software 7 Binary Grid (.grd)', grey],
    ['c.grd', 'GSAG', 'Golden Software ASCII Grid (.grd)', grey],
    ['a.ntf', 'NITF', 'National Imagery Transmission Format', []],
    ['a.nc', 'netCDF', 'Network Common Data Format', grey],
    ['a.rst', 'RST', 'Idrisi Raster A.1', grey],
    ['a.bil', 'EHdr', 'ESRI .hdr Labelled', grey],
    ['a.sdat', 'SAGA', 'SAGA GIS Binary Grid (.sdat, .sg-grd-z)', grey],
    [
      'a.map',
      'PCRaster',
      'PCRaster Raster File',
      [...grey, '-ot', 'Int32', '-co', 'PCRASTER_VALUESCALE=VS_NOMINAL'],
    ],
    ['a.bt', 'BT', 'VTP .bt (Binary Terrain) 1.3 Format', [...grey, '-ot', 'Int16']],
    ['a.gtx', 'GTX', 'NOAA Vertical Datum .GTX', [...grey, '-ot', 'Float32']],
    ['a.grb2', 'GRIB', 'GRIdded Binary (.grb, .grb2)', grey],
  ] as const) {
    it(`are read as ${format}`, async (test) => {
      const path = await translate(test, name, '-of', driver, ...options)
      const described = await describeFile(path)
      assert.equal(described.format, format)
      assert.equal(described.layer.raster?.width, 40)
      assert.ok(described.layer.envelope)
    })
  }

  it('that hold several datasets say so', async (test) => {
    const path = await translate(test, 'a.nc', '-of', 'netCDF')
    await assert.rejects(describeFile(path), /a container of 3 datasets: take out the one that is wanted/)
  })

  it('that send GDAL to other files or addresses are not known, whatever their extension', async (test) => {
    const folder = temporaryFolder(test)
    const source = join(process.cwd(), fixtures, 'RGB.byte.tif')
    const vrt = join(folder, 'a.vrt')
    await runProgram('gdal_translate', ['-q', '-of', 'VRT', source, vrt])
    const wms = '<GDAL_WMS><Service name="TMS"><ServerUrl>http://127.0.0.1/</ServerUrl></Service></GDAL_WMS>'
    for (const extension of ['vrt', 'tif', 'png', 'jpg', 'img', 'asc', 'hgt', 'dem', 'bil', 'rst', 'xml']) {
      for (const content of [readFileSync(vrt), wms]) {
        const path = join(folder, `redirect.${extension}`)
        writeFileSync(path, content)
        const answer = await describeFile(path).then(
          ({ format }) => format,
          (error: unknown) => error,
        )
        assert.ok(answer instanceof Error, `${extension} is read as ${String(answer)}`)
      }
    }
  })

  it('leave the folder of the file as it is', async (test) => {
    const path = await translate(test, 'a.tif')
    const folder = join(path, '..')
    const before = readdirSync(folder)
    await describeFile(path)
    sameValues(readdirSync(folder), before)
  })

  it('follow a link to the file', async (test) => {
    const folder = temporaryFolder(test)
    symlinkSync(join(process.cwd(), fixtures, 'RGB.byte.tif'), join(folder, 'link.tif'))
    assert.equal((await describeFile(join(folder, 'link.tif'))).layer.raster?.width, 791)
  })
})

describe('a damaged raster', () => {
  it('is described or refused, never more', async (test) => {
    const folder = temporaryFolder(test)
    const path = join(folder, 'damaged.tif')
    const whole = readFileSync(`${fixtures}/rotated.tif`)
    await fc.assert(
      fc.asyncProperty(mutation, async (mutations) => {
        writeFileSync(
          path,
          mutations.reduce<Buffer>((bytes, mutate) => mutate(bytes), whole),
        )
        const file = await scanFile(path, signal)
        const format = await detectFormat(file, signal)
        if (format?.kind !== 'raster') return
        await format.describe(file, { signal }).catch((error: unknown) => {
          if (!(error instanceof FormatError)) throw error
        })
      }),
      { numRuns: 25 },
    )
  })

  it('stops when it is told to', async () => {
    const file = await scanFile(`${fixtures}/RGB.byte.tif`, signal)
    const format = await detectFormat(file, signal)
    await assert.rejects(
      async () => format?.describe(file, { signal: AbortSignal.abort(new Error('enough')) }),
      /enough/,
    )
  })
})
