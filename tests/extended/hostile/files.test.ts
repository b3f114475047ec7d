import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { fixture } from '../../support/bad-input.ts'
import type { Victim } from '../../support/hostile.ts'
import { startVictim } from '../../support/hostile.ts'
import type { FilePart, Json } from '../../support/importer-client.ts'
import { rawZip } from '../../support/raw-zip.ts'
import { temporaryData } from '../../support/terrane-process.ts'

const secret = 'the secret of another file'

/** Files outside the data directory that must not be read, and a server that must not be contacted. */
interface Trap {
  csv: string
  tif: string
  url: string
  /** Returns the files read and the requests received since the trap was set; empty if there were none. */
  sprung(): string[]
}

async function layTrap(test: TestContext): Promise<Trap> {
  const folder = temporaryData(test)
  const files = { csv: join(folder, 'secret.csv'), tif: join(folder, 'secret.tif') }
  writeFileSync(files.csv, `id,text\n1,${secret}\n`)
  writeFileSync(files.tif, fixture('raster/RGB.byte.tif'))
  // A file system with access times records the first read after a change.
  const before = new Date(Date.now() - 3600_000)
  for (const path of Object.values(files)) utimesSync(path, before, new Date(Date.now() - 1000))
  let requested = 0
  const server = createServer((socket) => {
    requested += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.after(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    ...files,
    url: `http://127.0.0.1:${port}/x`,
    sprung: () => [
      ...Object.values(files).filter((path) => statSync(path).atimeMs > before.getTime() + 1000),
      ...(requested > 0 ? [`${requested} requests`] : []),
      ...readdirSync(folder).filter((name) => !/^secret\.(csv|tif)$/.test(name)),
    ],
  }
}

/** A way into the server: gives the import that it made, or the refusal. */
type EntryPoint = (victim: Victim, files: FilePart[]) => Promise<Json>

let entryPointCount = 0

function provide(victim: Victim, files: FilePart[]): string {
  entryPointCount += 1
  const name = `folder${entryPointCount}`
  mkdirSync(join(victim.incoming, name))
  for (const { name: file, content } of files) writeFileSync(join(victim.incoming, name, file), content)
  return name
}

async function create(victim: Victim, data: object): Promise<Json> {
  const { json } = await victim.call('POST', '?expand=3', { import: { data } })
  return json
}

const entryPoints: Record<string, EntryPoint> = {
  'a form': async (victim, files) => {
    const id = await victim.newImport()
    await victim.upload(id, files)
    return (await victim.call('GET', `/${id}?expand=3`)).json
  },
  'an archive in a form': async (victim, files) => {
    const id = await victim.newImport()
    await victim.upload(id, [{ name: 'files.zip', content: rawZip(files) }])
    return (await victim.call('GET', `/${id}?expand=3`)).json
  },
  'a folder of an import root': (victim, files) =>
    create(victim, { type: 'directory', location: provide(victim, files) }),
  'a mosaic': (victim, files) => create(victim, { type: 'mosaic', location: provide(victim, files) }),
}

/** Runs the import and returns everything that the server then shows of it. */
async function everythingShown(victim: Victim, made: Json): Promise<string> {
  const id = made.import?.id
  if (id === undefined) return JSON.stringify(made)
  for (const task of (made.import?.tasks ?? []) as unknown as Json[])
    if (String(task.state) === 'NO_CRS')
      await victim.call('PUT', `/${id}/tasks/${task.id}/layer`, { layer: { srs: 'EPSG:4326' } })
  const run = await victim.call('POST', `/${id}`)
  const shown = [JSON.stringify(made), run.text, (await victim.call('GET', `/${id}?expand=3`)).text]
  const { json } = await victim.send('GET', '/ogc/collections')
  for (const { id: name } of (json.collections ?? []) as unknown as { id: string }[]) {
    shown.push((await victim.send('GET', `/ogc/collections/${encodeURIComponent(name)}/items?limit=10`)).text)
    shown.push((await victim.call('GET', `/${id}/tasks/0/layer/style`)).text)
  }
  return shown.join('\n')
}

function pointing({ csv, tif, url }: Trap): FilePart[][] {
  const vrt = `<VRTDataset rasterXSize="9" rasterYSize="9"><VRTRasterBand dataType="Byte" band="1"><SimpleSource><SourceFilename relativeToVRT="0">${tif}</SourceFilename><SourceBand>1</SourceBand></SimpleSource></VRTRasterBand></VRTDataset>`
  const ogrVrt = `<OGRVRTDataSource><OGRVRTLayer name="secret"><SrcDataSource>${csv}</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>`
  const wms = `<GDAL_WMS><Service name="TMS"><ServerUrl>${url}/\${z}/\${x}/\${y}.png</ServerUrl></Service><DataWindow><UpperLeftX>0</UpperLeftX><UpperLeftY>1</UpperLeftY><LowerRightX>1</LowerRightX><LowerRightY>0</LowerRightY><TileLevel>1</TileLevel></DataWindow><BandsCount>3</BandsCount></GDAL_WMS>`
  const entity = (root: string, body: string): string =>
    `<!DOCTYPE ${root} [<!ENTITY x SYSTEM "file://${csv}"><!ENTITY y SYSTEM "${url}">]>${body}`
  const place = '<Placemark><name>&x;&y;</name><Point><coordinates>1,2</coordinates></Point></Placemark>'
  const link = `<NetworkLink><Link><href>${url}</href></Link></NetworkLink><GroundOverlay><Icon><href>file://${csv}</href></Icon></GroundOverlay>`
  const kml = (inner: string): string =>
    `<kml xmlns="http://www.opengis.net/kml/2.2"><Document>${inner}</Document></kml>`
  const point = (crs: object): string =>
    JSON.stringify({
      type: 'FeatureCollection',
      crs,
      features: [{ type: 'Feature', properties: { a: 1 }, geometry: { type: 'Point', coordinates: [1, 2] } }],
    })
  const shape = (extension: string): FilePart => ({
    name: `a.${extension}`,
    content: fixture(`shapefile/ne_110m_admin_1_states_provinces_shp.${extension}`),
  })
  const shapefile = [shape('shp'), shape('shx'), shape('dbf')]
  const tiff: FilePart = { name: 'a.tif', content: fixture('raster/RGB.byte.tif') }
  const sld = entity(
    'StyledLayerDescriptor',
    '<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld"><NamedLayer><Name>&x;</Name></NamedLayer></StyledLayerDescriptor>',
  )
  return [
    ['vrt', 'tif', 'jpg', 'png', 'asc', 'nc', 'xml', 'gml', 'json', 'csv'].flatMap((extension) => [
      { name: `raster-${extension}.${extension}`, content: vrt },
      { name: `vector-${extension}.${extension}`, content: ogrVrt },
      { name: `wms-${extension}.${extension}`, content: wms },
    ]),
    [
      { name: 'a.tif', content: csv },
      { name: 'b.tif', content: `/vsicurl/${url}` },
    ],
    [
      { name: 'a.kml', content: entity('kml', kml(place)) },
      { name: 'b.kml', content: kml(link) },
    ],
    [
      {
        name: 'a.gpx',
        content: entity('gpx', '<gpx version="1.1"><wpt lat="1" lon="2"><name>&x;&y;</name></wpt></gpx>'),
      },
      {
        name: 'b.gpx',
        content: `<gpx version="1.1"><wpt lat="1" lon="2"><link href="${url}"/><url>file://${csv}</url></wpt></gpx>`,
      },
    ],
    [
      { name: 'a.geojson', content: point({ type: 'link', properties: { href: url, type: 'proj4' } }) },
      {
        name: 'b.geojson',
        content: point({ type: 'link', properties: { href: `file://${csv}`, type: 'ogcwkt' } }),
      },
      { name: 'c.geojson', content: point({ type: 'name', properties: { name: csv } }) },
    ],
    ...[csv, url, `file://${csv}`, `+init=${csv}:1`, `ESRI::${csv}`, `+proj=longlat +nadgrids=${csv}`].map(
      (text) => [...shapefile, { name: 'a.prj', content: text }],
    ),
    [
      ...shapefile,
      { name: 'a.cpg', content: csv },
      { name: 'a.qix', content: csv },
      { name: 'a.sbn', content: '\0\0' },
    ],
    [
      ...shapefile,
      { name: 'a.sld', content: sld },
      { name: 'a.qml', content: entity('qgis', '<qgis>&x;&y;</qgis>') },
    ],
    [
      tiff,
      {
        name: 'a.tif.aux.xml',
        content: `<PAMDataset><SRS>${csv}</SRS><Metadata domain="OVERVIEWS"><MDI key="OVERVIEW_FILE">${tif}</MDI></Metadata><Metadata><MDI key="x">&x;</MDI></Metadata></PAMDataset>`,
      },
      { name: 'a.tfw', content: 'nan\n1e999\n0\n0\n0\n0\n' },
    ],
    [
      tiff,
      { name: 'a.tif.ovr', content: vrt },
      { name: 'a.tif.msk', content: vrt },
      { name: 'a.prj', content: csv },
    ],
  ]
}

describe('a file that points elsewhere', () => {
  it('would be found out if it led there: the trap springs', async (test) => {
    const trap = await layTrap(test)
    readFileSync(trap.csv)
    await assert.rejects(fetch(trap.url))
    assert.deepEqual(trap.sprung(), [trap.csv, '1 requests'])
  })

  for (const [name, entryPoint] of Object.entries(entryPoints)) {
    it(`makes the server read no other file and ask nobody, coming by ${name}`, async (test) => {
      const trap = await layTrap(test)
      const victim = await startVictim(test, temporaryData(test))
      for (const files of pointing(trap)) {
        const made = await entryPoint(victim, files)
        const shown = await everythingShown(victim, made)
        const what = files.map((file) => file.name).join(', ')
        assert.ok(!shown.includes(secret), what)
        assert.deepEqual(trap.sprung(), [], what)
        if (made.import?.id !== undefined) await victim.call('DELETE', `/${made.import.id}`)
      }
      await victim.assertLives()
      assert.deepEqual(victim.leftovers(), [])
      assert.doesNotMatch(await victim.log(), /"level":(50|60)/)
    })
  }
})
