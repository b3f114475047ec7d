import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import type { ImporterClient } from '../../support/importer-client.ts'
import { startImporter } from '../../support/importer-client.ts'
import { importRaster, rasterBytes } from '../../support/rasters.ts'
import { ask, mapQuery, rgbaOf } from '../../support/wms-maps.ts'

const square = JSON.stringify({
  type: 'Feature',
  properties: { name: 'a' },
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [0, 0],
        [10, 0],
        [10, 10],
        [0, 10],
        [0, 0],
      ],
    ],
  },
})

describe('pictures of WMS', () => {
  let client: ImporterClient
  const ending: (() => void)[] = []
  before(async () => {
    client = await startImporter({ after: (work: () => void) => ending.push(work) } as never)
    const folder = join(client.server.dataDir, 'incoming')
    writeFileSync(join(folder, 'area.geojson'), square)
    writeFileSync(join(folder, 'photo.tif'), rasterBytes('RGB.byte.tif'))
    const created = await client.call('POST', '?exec=true', {
      import: { data: { type: 'file', file: 'area.geojson' } },
    })
    assert.equal(created.status, 201, created.text)
    await importRaster(client, 'photo.tif')
  })
  after(async () => {
    for (const end of ending.reverse()) await end()
  })
  const maps = {
    area: mapQuery('default:area', 'EPSG:4326', [-5, -5, 15, 15], [120, 120]),
    photo: mapQuery('default:photo', 'EPSG:4326', [-78.5, 24, -77, 25.2], [120, 96]),
  }

  it('are PNG, JPEG, WebP, GIF and TIFF of the same cells, for features and for coverages', async () => {
    for (const [name, map] of Object.entries(maps)) {
      const opaque = map.replace('transparent=true', 'transparent=false&bgcolor=0xFFEEDD')
      const expected = await rgbaOf(await ask(client, opaque))
      for (const [type, tolerance] of [
        ['image/png', 0],
        ['image/png; mode=8bit', 24],
        ['image/jpeg', 40],
        ['image/webp', 40],
        ['image/gif', 40],
        ['image/tiff', 0],
      ] as const) {
        const answer = await ask(client, opaque.replace('image/png', encodeURIComponent(type)))
        assert.equal(answer.status, 200, answer.text)
        assert.match(answer.type, new RegExp(`^${type.split(';')[0]}`))
        const { format } = await sharp(answer.bytes).metadata()
        assert.equal(format, type.split(';')[0]?.slice('image/'.length))
        const found = await rgbaOf(answer)
        assert.equal(found.length, expected.length)
        const far = found.filter((value, at) => Math.abs(value - (expected[at] ?? 0)) > tolerance).length
        assert.ok(far <= found.length * 0.03, `${name} as ${type}: ${far} of ${found.length}`)
      }
    }
    for (const type of ['image/webp', 'image/gif', 'image/tiff']) {
      const clear = await rgbaOf(await ask(client, maps.area.replace('image/png', type)))
      assert.equal(clear[3], 0, type)
      assert.ok(
        clear.some((value, at) => at % 4 === 3 && value > 0),
        type,
      )
    }
  })

  it('tell what fails in words or not at all, where the request wants no report', async () => {
    const broken = maps.area.replace('default:area', `default:${'<none>&"'.repeat(3)}`)
    for (const [kind, version] of [
      ['INIMAGE', '1.3.0'],
      ['application/vnd.ogc.se_inimage', '1.1.1'],
      ['BLANK', '1.3.0'],
      ['application/vnd.ogc.se_blank', '1.1.1'],
    ] as const) {
      const requested = `${encodeURI(broken).replaceAll('&%22', '%26%22').replace('version=1.1.1', `version=${version}&crs=EPSG:4326`)}&exceptions=${kind}`
      const answer = await ask(client, requested)
      assert.equal(answer.status, 404, kind)
      assert.equal(answer.type, 'image/png', answer.text.slice(0, 300))
      const { width, height } = await sharp(answer.bytes).metadata()
      assert.deepEqual([width, height], [120, 120])
      const rgba = await sharp(answer.bytes).ensureAlpha().raw().toBuffer()
      const written = rgba.filter((value, at) => at % 4 === 3 && value > 0).length
      assert.equal(written > 500, /inimage/i.test(kind), `${kind}: ${written}`)
    }
    for (const more of ['&exceptions=XML', '&exceptions=JSON', '', '&exceptions=INIMAGE&width=0']) {
      const answer = await ask(
        client,
        `${encodeURI(broken).replaceAll('&%22', '%26%22')}${more}`.replace(
          more.includes('width') ? 'width=120' : 'nothing',
          '',
        ),
      )
      assert.match(answer.text, /<ServiceException code="/, more)
    }
  })
})
