import assert from 'node:assert/strict'
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CoverageServer } from '../../support/coverages.ts'
import { assertSameRaster, cover, crsUri, serveCoverages } from '../../support/coverages.ts'
import { readRaster } from '../../support/raster-cells.ts'
import { gdal, importRaster } from '../../support/rasters.ts'
import { sendStrangeRequests } from '../../support/strange-coverage-requests.ts'

describe('requests of WCS', () => {
  let coverages: CoverageServer
  const ending: (() => void)[] = []
  before(async () => {
    coverages = await serveCoverages({ after: (work: () => void) => ending.push(work) })
  })
  after(async () => {
    for (const end of ending.reverse()) await end()
  })

  it('are asked by XML as by key and value', async () => {
    const spaces =
      'xmlns="http://www.opengis.net/wcs/2.0" xmlns:crs="http://www.opengis.net/wcs/crs/1.0" xmlns:s="http://www.opengis.net/wcs/scaling/1.0" xmlns:r="http://www.opengis.net/wcs/range-subsetting/1.0" xmlns:int="http://www.opengis.net/wcs/interpolation/1.0" xmlns:g="http://www.opengis.net/gmlcov/geotiff/1.0"'
    const body = `<?xml version="1.0"?><GetCoverage ${spaces} service="WCS" version="2.0.1"><Extension>
      <crs:outputCrs>${crsUri(3857)}</crs:outputCrs>
      <s:Scaling><s:ScaleToSize><s:TargetAxisSize><s:axis>i</s:axis><s:targetSize>60</s:targetSize></s:TargetAxisSize><s:TargetAxisSize><s:axis>j</s:axis><s:targetSize>50</s:targetSize></s:TargetAxisSize></s:ScaleToSize></s:Scaling>
      <r:RangeSubset><r:RangeItem><r:RangeInterval><r:startComponent>band2</r:startComponent><r:endComponent>band3</r:endComponent></r:RangeInterval></r:RangeItem></r:RangeSubset>
      <int:Interpolation><int:globalInterpolation>http://www.opengis.net/def/interpolation/OGC/1/cubic</int:globalInterpolation></int:Interpolation>
      <g:parameters><g:compression>Deflate</g:compression></g:parameters></Extension>
      <CoverageId>default__rgb</CoverageId>
      <DimensionTrim><Dimension>E</Dimension><TrimLow>150000</TrimLow><TrimHigh>250000</TrimHigh></DimensionTrim>
      <DimensionTrim><Dimension>N</Dimension><TrimLow>2700000</TrimLow><TrimHigh>2800000</TrimHigh></DimensionTrim>
      <format>image/tiff</format></GetCoverage>`
    const posted = async (url: string, text: string) =>
      coverages.client.server.app.inject({
        method: 'POST',
        url,
        payload: text,
        headers: { ...coverages.client.server.admin, 'content-type': 'text/xml' },
      })
    const query = [
      `outputCrs=${crsUri(3857)}&subsettingCrs=${crsUri(32618)}&scaleSize=i(60),j(50)&rangeSubset=band2:band3`,
      'interpolation=cubic&subset=E(150000,250000)&subset=N(2700000,2800000)&geotiff:compression=Deflate',
    ].join('&')
    const expected = await coverages.ask(`${cover}rgb&${query}`)
    assert.equal(expected.status, 200, expected.text)
    for (const url of ['/wcs', '/ows', '/default/wcs', '/default/ows']) {
      // Subsets refer to the CRS of the coverage unless the XML names another one.
      const reply = await posted(
        url,
        body.replace(
          '</crs:outputCrs>',
          `</crs:outputCrs><crs:subsettingCrs>${crsUri(32618)}</crs:subsettingCrs>`,
        ),
      )
      assert.equal(reply.statusCode, 200, reply.body)
      assert.ok(reply.rawPayload.equals(expected.body), url)
    }
    for (const [text, found] of [
      [
        '<GetCapabilities xmlns="http://www.opengis.net/wcs/2.0" service="WCS"/>',
        /<wcs:CoverageId>default__rgb</,
      ],
      [
        '<DescribeCoverage xmlns="http://www.opengis.net/wcs/2.0" service="WCS" version="2.0.1"><CoverageId>default__geo</CoverageId></DescribeCoverage>',
        /axisLabels="Lat Long"/,
      ],
    ] as const)
      assert.match((await posted('/wcs', text)).body, found)
  })

  it('are asked by version 1.0.0 with x first, by cells or by their length', async () => {
    const older = 'service=WCS&version=1.0.0&request=GetCoverage&coverage=default:'
    const get = (query: string) => coverages.raster(older + query)
    const { size, geoTransform } = coverages.source('geo')
    const [left = 0, across = 0, , top = 0, , down = 0] = geoTransform
    const window = ['-srcwin', '10', '20', '30', '40']
    const edges = [left + 10 * across, top + 60 * down, left + 40 * across, top + 20 * down]
    const place = `bbox=${edges}&crs=EPSG:4326&format=GeoTIFF`
    assertSameRaster(
      await get(`geo&${place}&width=30&height=40`),
      coverages.made('gdal_translate', 'geo', ...window),
      'cells',
    )
    assertSameRaster(
      await get(`geo&${place}&resx=${across}&resy=${-down}`),
      coverages.made('gdal_translate', 'geo', ...window),
      'lengths',
    )
    // Edges between cells: the response has exactly this box.
    const box = [left + 10.3 * across, top + 60.4 * down, left + 39.8 * across, top + 20.1 * down]
    const exact = ['-et', '0', '-te', ...box.map(String), '-ts', '50', '70']
    assertSameRaster(
      await get(`geo&bbox=${box}&crs=EPSG:4326&format=GeoTIFF&width=50&height=70&interpolation=bilinear`),
      coverages.made('gdalwarp', 'geo', '-t_srs', 'EPSG:4326', '-r', 'bilinear', ...exact),
      'between cells',
    )
    const all = [left, top + size[1] * down, left + size[0] * across, top]
    const warped = await get(
      `geo&bbox=${all}&crs=EPSG:4326&response_crs=EPSG:3857&format=image/tiff&width=100&height=90&band=2`,
    )
    assert.deepEqual([warped.size, warped.bands.length], [[100, 90], 1])
  })

  it('are refused by the codes of the standards, and say what is wrong', async () => {
    const cases: [query: string, code: string, status: number][] = [
      ['service=WCS', 'MissingParameterValue', 400],
      ['service=WCS&request=Transaction', 'OperationNotSupported', 400],
      ['request=GetCapabilities&acceptVersions=1.1.1', 'VersionNegotiationFailed', 400],
      ['request=GetCapabilities&sections=Everything', 'InvalidParameterValue', 400],
      ['request=GetCoverage&version=1.1.1&coverageId=default__rgb', 'InvalidParameterValue', 400],
      ['request=DescribeCoverage&version=2.0.1', 'MissingParameterValue', 400],
      ['request=DescribeCoverage&version=2.0.1&coverageId=default__rgb,', 'emptyCoverageIdList', 404],
      ['request=DescribeCoverage&version=2.0.1&coverageId=default__rgb,no__such', 'NoSuchCoverage', 404],
      [`${cover}none`, 'NoSuchCoverage', 404],
      [`${cover}rgb&subset=Height(1,2)`, 'InvalidAxisLabel', 404],
      [`${cover}rgb&subset=E(1,2)&subset=x(1,2)`, 'InvalidAxisLabel', 404],
      [`${cover}rgb&subset=time("2020-01-01")`, 'InvalidAxisLabel', 404],
      [`${cover}rgb&subset=E(1,2)`, 'InvalidSubsetting', 404],
      [`${cover}rgb&subset=E(200000,150000)`, 'InvalidSubsetting', 404],
      [`${cover}rgb&subset=E(a,b)`, 'InvalidSubsetting', 404],
      [`${cover}rgb&subset=E`, 'InvalidSubsetting', 404],
      [`${cover}rgb&subset=E(1,2,3)`, 'InvalidSubsetting', 404],
      [`${cover}rgb&subsettingCrs=${crsUri(4326)}&subset=Long(1,2)`, 'InvalidSubsetting', 404],
      [`${cover}rgb&outputCrs=${crsUri(999_999)}`, 'OutputCrs-NotSupported', 404],
      [`${cover}rgb&subsettingCrs=nowhere`, 'SubsettingCrs-NotSupported', 404],
      [`${cover}rgb&scaleFactor=0`, 'InvalidScaleFactor', 404],
      [`${cover}rgb&scaleFactor=2&scaleSize=i(3)`, 'InvalidScaleFactor', 404],
      [`${cover}rgb&scaleSize=k(3)`, 'ScaleAxisUndefined', 404],
      [`${cover}rgb&scaleExtent=i(9:3)`, 'InvalidExtent', 404],
      [`${cover}rgb&rangeSubset=infrared`, 'NoSuchField', 404],
      [`${cover}rgb&rangeSubset=band3:band1`, 'IllegalFieldSequence', 404],
      [`${cover}rgb&interpolation=lanczos`, 'InterpolationMethodNotSupported', 404],
      [`${cover}rgb&format=application/x-netcdf`, 'InvalidParameterValue', 400],
      [`${cover}rgb&mediaType=multipart/related`, 'InvalidParameterValue', 400],
      [`${cover}float_nan&format=image/png`, 'InvalidParameterValue', 400],
      [`${cover}rgb&geotiff:compression=zip`, 'CompressionNotSupported', 404],
      [`${cover}rgb&geotiff:tiling=true&geotiff:tilewidth=17`, 'TilingInvalid', 404],
      [`${cover}rgb&scaleSize=i(100000),j(100000)`, 'NoApplicableCode', 413],
    ]
    for (const [request, code, status] of cases) {
      const found = await coverages.ask(request)
      assert.match(found.text, new RegExp(`exceptionCode="${code}"`), `${request}: ${found.text}`)
      assert.equal(found.status, status, request)
      assert.match(String(found.headers['content-type']), /^application\/xml/)
    }
    const older = await coverages.ask('service=WCS&version=1.0.0&request=GetCoverage&coverage=nowhere')
    assert.match(older.text, /<ServiceException code="CoverageNotDefined"/)
  })

  it('tell what is wrong with a file that cannot be read any more, and nothing of where it stands', async () => {
    const { client, folder, ask } = coverages
    for (const name of ['cut', 'gone'])
      gdal('gdal_translate', '-q', join(folder, 'rgb.tif'), join(folder, `${name}.tif`))
    for (const name of ['cut', 'gone']) await importRaster(client, `${name}.tif`)
    truncateSync(join(folder, 'cut.tif'), 200_000)
    rmSync(join(folder, 'gone.tif'))
    for (const name of ['cut', 'gone']) {
      const { status, text } = await ask(`${cover}${name}`)
      assert.equal(status, 503, text)
      assert.match(text, /<ows:ExceptionText>[^<]*(?:cannot be read|is gone|not there)/, text)
      assert.doesNotMatch(text, new RegExp(folder), text)
    }
  })

  it('are answered out of one state of a coverage that is replaced meanwhile', async () => {
    const { client, folder, ask } = coverages
    const make = (value: number, side: number): void => {
      mkdirSync(join(folder, `n${value}`))
      const edges = ['-a_srs', 'EPSG:25832', '-a_ullr', '500000', '5600000', '501000', '5599000']
      const cells = ['-outsize', String(side), String(side), '-bands', '1', '-burn', String(value)]
      gdal(
        'gdal_create',
        '-q',
        '-of',
        'GTiff',
        '-ot',
        'Byte',
        ...cells,
        ...edges,
        join(folder, `n${value}`, 'state.tif'),
      )
    }
    make(1, 400)
    await importRaster(client, 'n1/state.tif')
    const found = new Set<string>()
    let isOver = false
    let reads = 0
    const reading = Array.from({ length: 3 }, async (_, at) => {
      for (let turn = 0; !isOver; turn += 1) {
        const query = at === 1 ? `${cover}state&outputCrs=EPSG:4326&scaleSize=i(50),j(50)` : `${cover}state`
        const { status, text, body } = await ask(query)
        assert.equal(status, 200, text)
        const path = join(folder, `state-${at}-${turn}.tif`)
        writeFileSync(path, body)
        const { size, cells } = readRaster(path)
        // A warped raster has cells without data at its edges.
        const values = new Set(cells)
        if (at === 1) values.delete(0)
        assert.equal(values.size, 1, `${query}: ${[...values].join()}`)
        reads += 1
        found.add(at === 1 ? 'warped' : `${[...values].join()} of ${size[0]}`)
      }
    })
    for (let value = 2; value < 5; value += 1) {
      make(value, 400 + value)
      const created = await client.call('POST', '', {
        import: { data: { type: 'file', file: `n${value}/state.tif` } },
      })
      const id = created.json.import?.id
      await client.call('PUT', `/${id}/tasks/0`, { updateMode: 'REPLACE' })
      const ran = await client.call('POST', `/${id}`)
      assert.equal(ran.status, 204, ran.text)
      // Each state is met, however slow the machine is.
      for (const before = reads; reads < before + 6; ) await Promise.race([sleep(20), ...reading])
    }
    isOver = true
    await Promise.all(reading)
    for (const one of found) assert.match(one, /^warped$|^1 of 400$|^(\d) of 40\1$/)
    assert.ok(found.size >= 3, [...found].join())
  })

  it('answer strange requests without a fault, and leave nothing behind', () =>
    // tests/release/hostile/wcs-requests.test.ts sends 1,500.
    sendStrangeRequests(coverages, 100))
})
