import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { MosaicServer } from '../../support/mosaics.ts'
import { createMosaic, indexStores, runMosaic, startMosaics } from '../../support/mosaics.ts'
import { readRaster } from '../../support/raster-cells.ts'

for (const store of indexStores) {
  describe(`mosaics in WCS with their index in ${store}`, () => {
    let client: MosaicServer
    const ending: (() => void)[] = []
    before(async () => {
      client = await startMosaics({ after: (work: () => void) => ending.push(work) } as never, store)
      // Each granule has 8 by 8 cells with its number as value, and adjoins the one before.
      for (const [column, name] of ['a_2020', 'b_2021', 'c_2022'].entries())
        client.granule(`m/${name}.tif`, { column: column + 1 })
      const task = await runMosaic(client, await createMosaic(client, 'm', { mode: 'auto' }))
      assert.equal(task.state, 'COMPLETE', String(task.errorMessage))
    })
    after(async () => {
      for (const end of ending.reverse()) await end()
    })
    const ask = async (query: string) =>
      client.server.app.inject({
        url: `/wcs?service=WCS&version=2.0.1&${query}`,
        headers: client.server.admin,
      })
    /** Returns the cells of one row of the response. */
    const row = async (query: string): Promise<number[]> => {
      const reply = await ask(`request=GetCoverage&coverageId=default__m${query}`)
      assert.equal(reply.statusCode, 200, `${query}: ${reply.body}`)
      const path = join(client.server.dataDir, 'answer.tif')
      writeFileSync(path, reply.rawPayload)
      const { size, cells } = readRaster(path)
      return [...cells.subarray(0, size[0])]
    }
    const span = (...values: number[]): number[] =>
      values.flatMap((value) => Array.from({ length: 8 }, () => value))

    it('are the grid of all granules, with the newest, a time, or all of an interval in it', async () => {
      assert.deepEqual(await row(''), span(0, 0, 3))
      assert.deepEqual(await row('&subset=time("2021-01-01T00:00:00.000Z")'), span(0, 2, 0))
      assert.deepEqual(await row('&subset=time("2020-01-01","2021-06-01")'), span(1, 2, 0))
      assert.deepEqual(await row('&subset=time(*,*)'), span(1, 2, 3))
      const part = '&subset=E(400150,400250)&subset=N(3999950,4000000)'
      assert.deepEqual(await row(`${part}&subset=time(*,*)`), [1, 1, 1, 1, 2, 2, 2, 2])
      assert.deepEqual(await row(`${part}&subset=time("2022")`), [0, 0, 0, 0, 0, 0, 0, 0])
      assert.equal(
        new Set(await row('&outputCrs=EPSG:3857&subset=time(*,*)&scaleSize=i(60),j(20)')).size >= 3,
        true,
      )
    })

    it('tell their times, and refuse those that they have none of', async () => {
      const { body } = await ask('request=DescribeCoverage&coverageId=default__m')
      assert.match(body, /<gml:EnvelopeWithTimePeriod [^>]*axisLabels="E N time"/)
      assert.match(body, /<gml:beginPosition>2020-01-01T00:00:00\.000Z<.*<gml:endPosition>2022-01-01/s)
      assert.equal(body.match(/<gml:timePosition>/g)?.length, 3)
      assert.match(body, /<gml:high>23 7<\/gml:high>/)
      for (const time of ['"1999"', '"2023","2024"', '"yesterday"', '2020,2021)&subset=time(2022']) {
        const reply = await ask(`request=GetCoverage&coverageId=default__m&subset=time(${time})`)
        assert.ok(reply.statusCode === 404 || reply.statusCode === 400, `${time} ${reply.statusCode}`)
        assert.match(reply.body, /exceptionCode="Invalid/, time)
      }
    })

    it('have their times by version 1.0.0 too', async () => {
      const older = async (query: string) =>
        client.server.app.inject({
          url: `/wcs?service=WCS&version=1.0.0&${query}`,
          headers: client.server.admin,
        })
      const { body } = await older('request=DescribeCoverage&coverage=default:m')
      assert.equal(
        body.match(/<temporalDomain>.*<\/temporalDomain>/s)?.[0].match(/timePosition>2/g)?.length,
        3,
      )
      const box = 'bbox=400100,3999900,400400,4000000&crs=EPSG:32618&width=24&height=8&format=GeoTIFF'
      for (const [time, expected] of [
        ['', span(0, 0, 3)],
        ['&time=2020-01-01T00:00:00.000Z', span(1, 0, 0)],
        ['&time=2020,2022', span(1, 0, 3)],
        ['&time=2020-01-01/2021-06-01', span(1, 2, 0)],
      ] as const) {
        const reply = await older(`request=GetCoverage&coverage=default:m&${box}${time}`)
        assert.equal(reply.statusCode, 200, reply.body)
        const path = join(client.server.dataDir, 'older.tif')
        writeFileSync(path, reply.rawPayload)
        assert.deepEqual([...readRaster(path).cells.subarray(0, 24)], expected, time)
      }
    })
  })
}
