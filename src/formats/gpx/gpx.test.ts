import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { mutation } from '../../../tests/support/mutations.ts'
import { dataFile, type ReadLayer, readContext, readLayer } from '../../../tests/support/read-layer.ts'
import { temporaryFiles } from '../../../tests/support/temporary-files.ts'
import { gpxText } from '../../../tests/support/xml-text.ts'
import type { LayerDescription } from '../format.ts'
import { FormatError } from '../format.ts'
import { detectFormat } from '../registry.ts'
import { gpx } from './gpx.ts'

const write = temporaryFiles()
const trek = join(import.meta.dirname, '../../../tests/fixtures/gpx/trek.gpx')

/** Reads every layer of a file, by name. */
async function readAll(path: string): Promise<Record<string, ReadLayer>> {
  const layers = await gpx.describe(dataFile(path), readContext())
  const read: Record<string, ReadLayer> = {}
  for (const [layer, { name }] of layers.entries()) read[name] = await readLayer(gpx, path, { layer })
  return read
}

function read(...elements: string[]): Promise<Record<string, ReadLayer>> {
  return readAll(write('data.gpx', gpxText(...elements)))
}

function valuesOf(layer: ReadLayer | undefined): Record<string, unknown>[] {
  assert.ok(layer !== undefined)
  return layer.rows.map(({ geometry, values }) => ({
    geometry,
    ...Object.fromEntries(layer.layer.schema.attributes.map(({ name }, index) => [name, values[index]])),
  }))
}

function pathOf(kind: 'rte' | 'trk', points: [number, number, number?][], inside = ''): string {
  const point = kind === 'rte' ? 'rtept' : 'trkpt'
  const texts = points.map(
    ([x, y, z]) => `<${point} lon="${x}" lat="${y}">${z === undefined ? '' : `<ele>${z}</ele>`}</${point}>`,
  )
  const body = kind === 'rte' ? texts.join('') : `<trkseg>${texts.join('')}</trkseg>`
  return `<${kind}>${inside}${body}</${kind}>`
}

describe('a GPX file', () => {
  it('is known by its root element', async () => {
    assert.equal((await detectFormat(dataFile(trek), readContext().signal))?.name, 'GPX')
    const file = { path: '/x/data.gpx', sidecars: {} }
    for (const text of ['<kml/>', '<!DOCTYPE html><html/>', '', '<gpxx/>']) {
      assert.equal(gpx.detect(file, Buffer.from(text)), false, text)
    }
  })

  it('gives a layer for each kind of data that it has', async () => {
    const layers = await readAll(trek)
    assert.deepEqual(
      Object.entries(layers).map(([name, { layer, rows }]) => [
        name,
        layer.featureCount,
        rows.length,
        layer.schema.geometry?.type,
        layer.schema.geometry?.hasZ,
        layer.schema.geometry?.crs?.srs,
      ]),
      [
        ['routes', 1, 1, 'LineString', true, 'EPSG:4326'],
        ['route_points', 120, 120, 'Point', true, 'EPSG:4326'],
      ],
    )
    assert.deepEqual(valuesOf(layers['route_points'])[1], {
      geometry: 'POINT Z (6.05518996909 44.9077732488 1301)',
      route_fid: 0,
      route_point_id: 1,
      ele: 1301,
    })
  })

  it('without any of them holds no layer', async () => {
    assert.deepEqual(await read('<metadata><name>x</name></metadata>'), {})
  })
})

describe('elements of GPX', () => {
  it('are attributes of their type', async () => {
    const elements = [
      '<ele>12.5</ele><time>2024-05-01T12:00:00Z</time><magvar>1.5</magvar><geoidheight>47</geoidheight>',
      '<name>N</name><cmt>C</cmt><desc>D</desc><src>S</src>',
      '<link href="http://a.example"><text>A</text><type>text/html</type></link><link href="http://b.example"/>',
      '<link href="http://c.example"/><sym>Flag</sym><type>T</type><fix>3d</fix><sat>7</sat>',
      '<hdop>1.1</hdop><vdop>2</vdop><pdop>3</pdop><ageofdgpsdata>4</ageofdgpsdata><dgpsid>5</dgpsid>',
    ]
    const { waypoints } = await read(`<wpt lat="-1.5" lon="+2.25">${elements.join('')}</wpt>`)
    assert.deepEqual(valuesOf(waypoints), [
      {
        geometry: 'POINT Z (2.25 -1.5 12.5)',
        ele: 12.5,
        time: BigInt(Date.UTC(2024, 4, 1, 12)) * 1000n,
        magvar: 1.5,
        geoidheight: 47,
        name: 'N',
        cmt: 'C',
        desc: 'D',
        src: 'S',
        link1_href: 'http://a.example',
        link1_text: 'A',
        link1_type: 'text/html',
        link2_href: 'http://b.example',
        sym: 'Flag',
        type: 'T',
        fix: '3d',
        sat: 7,
        hdop: 1.1,
        vdop: 2,
        pdop: 3,
        ageofdgpsdata: 4,
        dgpsid: 5,
      },
    ])
  })

  it('of GPX 1.0 are attributes too', async () => {
    const { waypoints } = await read(
      '<wpt lat="1" lon="2"><url>http://a.example</url><urlname>A</urlname><course>90</course><speed>1.5</speed></wpt>',
    )
    assert.deepEqual(valuesOf(waypoints), [
      { geometry: 'POINT (2 1)', url: 'http://a.example', urlname: 'A', course: 90, speed: 1.5 },
    ])
  })

  it('of other namespaces are attributes where they hold text alone, with types that lose nothing', async () => {
    const extensions = (rate: string): string =>
      `<extensions><n:TrackPointExtension><n:hr>${rate}</n:hr><n:cad/></n:TrackPointExtension><o>a &amp; b</o></extensions>`
    const { waypoints } = await read(
      `<wpt lat="1" lon="2">${extensions('140')}</wpt>`,
      `<wpt lat="1" lon="2">${extensions('90')}<n:code>007</n:code></wpt>`,
    )
    assert.deepEqual(
      waypoints?.layer.schema.attributes.map(({ name, source, type }) => [name, source, type]),
      [
        ['n_hr', 'n:hr', 'int32'],
        ['n_cad', 'n:cad', 'text'],
        ['o', 'o', 'text'],
        ['n_code', 'n:code', 'text'],
      ],
    )
    assert.deepEqual(
      waypoints?.rows.map(({ values }) => values),
      [
        [140, null, 'a & b', null],
        [90, null, 'a & b', '007'],
      ],
    )
  })
})

describe('routes and tracks', () => {
  it('are lines, and their points are rows that say where they belong', async () => {
    const segments = '<trkseg><trkpt lon="5" lat="6"/><trkpt lon="7" lat="8"/></trkseg>'
    const layers = await read(
      pathOf('rte', [
        [1, 2],
        [3, 4],
      ]),
      pathOf(
        'trk',
        [
          [1, 2, 10],
          [3, 4],
        ],
        '<name>T0</name><number>3</number>',
      ),
      `<trk><name>T1</name>${segments}${segments}</trk>`,
    )
    assert.deepEqual(Object.keys(layers), ['routes', 'tracks', 'route_points', 'track_points'])
    assert.deepEqual(valuesOf(layers['routes']), [{ geometry: 'LINESTRING (1 2,3 4)' }])
    assert.deepEqual(valuesOf(layers['tracks']), [
      { geometry: 'MULTILINESTRING Z ((1 2 10,3 4 0))', name: 'T0', number: 3 },
      { geometry: 'MULTILINESTRING Z ((5 6 0,7 8 0),(5 6 0,7 8 0))', name: 'T1', number: null },
    ])
    assert.deepEqual(
      valuesOf(layers['track_points']).map(({ track_fid, track_seg_id, track_seg_point_id }) => [
        track_fid,
        track_seg_id,
        track_seg_point_id,
      ]),
      [
        [0, 0, 0],
        [0, 0, 1],
        [1, 0, 0],
        [1, 0, 1],
        [1, 1, 0],
        [1, 1, 1],
      ],
    )
  })

  it('have no line for a single point, which the layer says', async () => {
    const layers = await read(
      pathOf('rte', [[1, 2]], '<name>R</name>'),
      `<trk><trkseg><trkpt lon="1" lat="2"/></trkseg><trkseg/>${pathOf('trk', [
        [3, 4],
        [5, 6],
      ]).slice(5)}`,
      '<trk/>',
    )
    assert.deepEqual(valuesOf(layers['routes']), [{ geometry: null, name: 'R' }])
    assert.deepEqual(valuesOf(layers['tracks']), [
      { geometry: 'MULTILINESTRING ((3 4,5 6))' },
      { geometry: null },
    ])
    assert.equal(layers['track_points']?.rows.length, 3)
    assert.deepEqual(
      layers['tracks']?.layer.messages.map(({ code }) => code),
      ['short-lines'],
    )
  })
})

describe('broken GPX', () => {
  it('rejects the rows that it touches', async () => {
    const { waypoints } = await read(
      '<wpt lat="1" lon="2"><name>good</name></wpt>',
      '<wpt lat="1"><name>no longitude</name></wpt>',
      '<wpt lat="north" lon="2"/>',
      '<wpt lat="1" lon="2"><name>n</name><ele>high</ele></wpt>',
    )
    assert.equal(waypoints?.layer.featureCount, 4)
    assert.deepEqual(waypoints?.rejects, [
      { row: 2, field: 'lon', reason: 'The point has no "lon"', properties: {} },
      { row: 3, field: 'lat', value: 'north', reason: '"lat" is not a number', properties: {} },
      {
        row: 4,
        field: 'ele',
        value: 'high',
        reason: '"ele" is not a number',
        properties: { name: 'n', ele: 'high' },
      },
    ])
  })

  it('is refused as a whole where it is cut off or declares entities', async () => {
    const whole = gpxText(pathOf('rte', [[1, 2]]))
    for (const [text, code] of [
      [whole.slice(0, -20), 'truncated'],
      [`<!DOCTYPE gpx [<!ENTITY a "b">]>${whole.slice(whole.indexOf('<gpx'))}`, 'document-type'],
    ] as const) {
      await assert.rejects(
        gpx.describe(dataFile(write('broken.gpx', text)), readContext()),
        (error) => error instanceof FormatError && error.code === code,
      )
    }
  })

  it('accounts for every row however it is damaged, or says what is wrong', async () => {
    const source = Buffer.from(
      gpxText(
        '<wpt lat="1" lon="2"><name>a</name><ele>5</ele></wpt>',
        pathOf('rte', [
          [1, 2, 3],
          [4, 5],
        ]),
        pathOf('trk', [
          [1, 2],
          [3, 4],
        ]),
      ),
    )
    const seen = { read: 0, refused: 0 }
    const readEvery = async (path: string): Promise<LayerDescription[]> => {
      const layers = await readAll(path)
      for (const { layer, rows, rejects } of Object.values(layers)) {
        assert.equal(rows.length + rejects.length, layer.featureCount)
      }
      return Object.values(layers).map(({ layer }) => layer)
    }
    await fc.assert(
      fc.asyncProperty(mutation, async (mutations) => {
        const path = write(
          'damaged.gpx',
          mutations.reduce<Buffer>((before, mutate) => mutate(before), source),
        )
        try {
          await readEvery(path)
          seen.read += 1
        } catch (error) {
          if (!(error instanceof FormatError)) throw error
          seen.refused += 1
        }
      }),
      { numRuns: 200 },
    )
    assert.ok(seen.read > 0 && seen.refused > 0, JSON.stringify(seen))
  })
})
