import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { MosaicServer } from '../../support/mosaics.ts'
import { createMosaic, indexStores, runMosaic, startMosaics } from '../../support/mosaics.ts'
import { patience } from '../../support/until.ts'
import type { Box } from '../../support/wms-maps.ts'
import { ask, cell, mapQuery, rgbaOf } from '../../support/wms-maps.ts'

for (const store of indexStores) {
  describe(`mosaics in WMS with their index in ${store}`, () => {
    let client: MosaicServer
    const ending: (() => void)[] = []
    before(async () => {
      client = await startMosaics({ after: (work: () => void) => ending.push(work) } as never, store)
      for (const [column, name] of ['a_2020', 'b_2021', 'c_2022'].entries())
        client.granule(`m/${name}.tif`, { column: column + 1 })
      const task = await runMosaic(client, await createMosaic(client, 'm', { mode: 'auto' }))
      assert.equal(task.state, 'COMPLETE', String(task.errorMessage))
    })
    after(async () => {
      for (const end of ending.reverse()) await end()
    })
    const box: Box = [400_100, 3_999_900, 400_400, 4_000_000]
    const map = mapQuery('default:m', 'EPSG:32618', box, [90, 30])
    /** Returns which of the three granules are visible. */
    const seen = async (time: string): Promise<boolean[]> => {
      const rgba = await rgbaOf(await ask(client, `${map}${time}`))
      return [15, 45, 75].map((x) => (cell(rgba, 90, x, 15)[3] ?? 0) > 200)
    }

    it('show instants, intervals, lists, the current time and without any the newest', async () => {
      for (const [time, expected] of [
        ['', [false, false, true]],
        ['&time=', [false, false, true]],
        ['&TIME=current', [false, false, true]],
        ['&time=2021', [false, true, false]],
        ['&time=2020-01-01T00:00:00.000Z', [true, false, false]],
        ['&time=2020,2022', [true, false, true]],
        ['&time=2020-01-01/2021-06-01', [true, true, false]],
        ['&time=2021-01-01/current', [false, true, true]],
        ['&time=2020-01-01/2022-06-01/P1D,2021', [true, true, true]],
      ] as const)
        assert.deepEqual(await seen(time), expected, time)
    })

    it('tell which time they show where none is asked for', async () => {
      const info = `${map.replace('GetMap', 'GetFeatureInfo')}&query_layers=default:m&x=75&y=15`
      for (const [query, expected] of [
        [map, '99 Default value used: time=2022-01-01T00:00:00.000Z ISO8601'],
        [`${map}&time=default`, '99 Default value used: time=2022-01-01T00:00:00.000Z ISO8601'],
        [info, '99 Default value used: time=2022-01-01T00:00:00.000Z ISO8601'],
        [`${map}&time=2021`, undefined],
        [`${map}&time=current`, undefined],
      ] as const) {
        const { app, admin } = client.server
        const reply = await app.inject({ url: `/wms?service=WMS&${query}`, headers: admin })
        assert.equal(reply.statusCode, 200, reply.body)
        assert.equal(reply.headers.warning, expected, query)
      }
    })

    it('refuse what is not a time, and times that there are none of', async () => {
      const list = Array.from({ length: 201 }, () => '2020').join()
      for (const time of [
        'yesterday',
        '1999',
        '2020/',
        '2020-13',
        '2022/2020',
        '2020/2021/often',
        list,
        '2020-01-01/2021/1/1',
      ]) {
        const { status, text } = await ask(client, `${map}&time=${time}`)
        if (time === '2020/') assert.equal(status, 200, time)
        else {
          assert.equal(status, 400, time)
          assert.match(text, /code="InvalidDimensionValue" locator="time"/, time)
        }
      }
    })

    it('have their times in WMTS, whose templates lead to the tiles of each', async () => {
      const { app, admin } = client.server
      const get = async (url: string) => {
        for (const hasTime = patience(); ; await delay(250)) {
          const reply = await app.inject({ url, headers: admin })
          if (reply.statusCode !== 503 || !hasTime()) return reply
        }
      }
      const { body } = await get('/wmts/1.0.0/WMTSCapabilities.xml')
      const [dimension = ''] = /<Dimension>.*?<\/Dimension>/s.exec(body) ?? []
      const times = [...dimension.matchAll(/<Value>([^<]*)/g)].map(([, value = '']) => value)
      assert.deepEqual(
        times,
        ['2020', '2021', '2022'].map((year) => `${year}-01-01T00:00:00.000Z`),
      )
      assert.match(dimension, new RegExp(`<Default>${times[2]}</Default>`))
      const [, template = ''] = /resourceType="tile" template="([^"]*)"/.exec(body) ?? []
      const [, west = 0, south = 0] = /<ows:LowerCorner>([-\d.]+) ([-\d.]+)/.exec(body) ?? []
      const zoom = 13
      const latitude = (Number(south) * Math.PI) / 180
      const column = Math.floor(((Number(west) + 180) / 360) * 2 ** zoom)
      const row = Math.floor((0.5 - Math.asinh(Math.tan(latitude)) / (2 * Math.PI)) * 2 ** zoom)
      const seen = new Set<string>()
      for (const time of times) {
        const { pathname, search } = new URL(
          template
            .replace('{style}', 'raster')
            .replace('{TileMatrixSet}', 'WebMercatorQuad')
            .replace('{TileMatrix}', `${zoom}`)
            .replace('{TileRow}', `${row}`)
            .replace('{TileCol}', `${column}`)
            .replace('{time}', encodeURIComponent(time)),
        )
        const tile = await get(`${pathname}${search}`)
        assert.equal(tile.statusCode, 200, tile.body)
        const same = await get(`/tiles/default:m/${zoom}/${column}/${row}.png?time=${time}`)
        assert.ok(tile.rawPayload.equals(same.rawPayload), time)
        seen.add(tile.rawPayload.toString('base64'))
        if (time !== times[2]) continue
        for (const usual of ['', 'default', 'current'])
          assert.ok((await get(`${pathname}?time=${usual}`)).rawPayload.equals(tile.rawPayload), usual)
      }
      assert.equal(seen.size, times.length, 'each shows another granule')
    })

    it('tell their times in capabilities, and the values of a time', async () => {
      const times = ['2020', '2021', '2022'].map((year) => `${year}-01-01T00:00:00.000Z`)
      const newer = await ask(client, 'version=1.3.0&request=GetCapabilities')
      const marks = `name="time" default="${times[2]}" multipleValues="1" nearestValue="0" current="1"`
      assert.ok(
        newer.text.includes(`<Dimension units="ISO8601" ${marks}>${times.join()}</Dimension><Style>`),
        newer.text,
      )
      const older = await ask(client, 'version=1.1.1&request=GetCapabilities')
      assert.ok(
        older.text.includes(
          `<Dimension name="time" units="ISO8601"/><Extent ${marks}>${times.join()}</Extent><Style>`,
        ),
      )
      const info = `${map.replace('GetMap', 'GetFeatureInfo')}&query_layers=default:m&info_format=application/json&y=15`
      const values = async (more: string): Promise<unknown> => {
        const { features } = JSON.parse((await ask(client, `${info}&${more}`)).text) as {
          features: { properties: object }[]
        }
        return features.map(({ properties }) => properties)
      }
      assert.deepEqual(await values('x=75'), [{ 'band 1': 3 }])
      assert.deepEqual(await values('x=15'), [])
      assert.deepEqual(await values('x=15&time=2020'), [{ 'band 1': 1 }])
      assert.deepEqual(await values('x=45&time=2020/2022'), [{ 'band 1': 2 }])
    })
  })
}
