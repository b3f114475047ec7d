import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { ImporterClient } from '../../support/importer-client.ts'
import { startImporter } from '../../support/importer-client.ts'
import { gdal } from '../../support/rasters.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'

const secondsMs = 6000
const names = ['a.csv', 'b.geojson', 'c.shp', 'd.gpkg', 'e.gml', 'f.fgb', 'g.kml'] as const
const drivers = ['CSV', 'GeoJSON', 'ESRI Shapefile', 'GPKG', 'GML', 'FlatGeobuf', 'KML']

/**
 * Creates a folder with one file of each kind; each contains the text `word` as a value and as a column name.
 */
function fill(folder: string, word: string): void {
  mkdirSync(folder, { recursive: true })
  const source = join(folder, 'source.csv')
  gdal('sh', '-c', `printf 'name,${word},x,y\\n${word},1,2,3\\n' > '${source}'`)
  for (const [at, name] of names.entries()) {
    const options = ['-oo', 'X_POSSIBLE_NAMES=x', '-oo', 'Y_POSSIBLE_NAMES=y', '-a_srs', 'EPSG:4326']
    gdal('ogr2ogr', '-q', '-f', drivers[at] ?? '', join(folder, name), source, ...options)
  }
  gdal(
    'gdal_create',
    '-q',
    '-of',
    'GTiff',
    '-outsize',
    '4',
    '4',
    '-bands',
    '1',
    '-a_srs',
    'EPSG:4326',
    '-a_ullr',
    '0',
    '1',
    '1',
    '0',
    '-mo',
    `TIFFTAG_DOCUMENTNAME=${word}`,
    join(folder, 'h.tif'),
  )
}

/**
 * Creates an import root that anyone may write to, in which links switch between inside and outside until the
 * test ends.
 */
async function startSwapping(test: TestContext): Promise<string> {
  const end = new AbortController()
  test.after(() => end.abort())
  const folder = temporaryFolder(test)
  const root = join(folder, 'root')
  fill(join(root, 'inside', 'sub'), 'public')
  fill(join(folder, 'outside', 'sub'), 'secret')
  for (const name of names) {
    symlinkSync(join('sub', name), join(root, 'inside', name))
    symlinkSync(join('sub', name), join(folder, 'outside', name))
  }
  chmodSync(root, 0o777)
  const links = ['sub', ...names].map((name) => join(root, name))
  const swapper = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../support/swap-links.ts'), folder, ...links],
    { stdio: ['ignore', 'pipe', 'ignore'], signal: end.signal, killSignal: 'SIGKILL' },
  )
  swapper.on('error', () => undefined)
  const died = once(swapper, 'close').then(() =>
    assert.fail('The links do not change: their process has ended'),
  )
  died.catch(() => undefined)
  await Promise.race([once(swapper.stdout, 'data'), died])
  return root
}

/** Everything that a client can see of an import: its tasks, its layers, their rows and files. */
async function seen(client: ImporterClient, data: object): Promise<{ text: string; isLoaded: boolean }> {
  const { server } = client
  const created = await client.call('POST', '?exec=true', { import: { data } })
  const id = (created.json.import as { id?: number } | undefined)?.id
  if (id === undefined) return { text: created.text, isLoaded: false }
  const tasks = await client.call('GET', `/${id}/tasks?expand=all`)
  const list = await server.app.inject({ url: '/ogc/collections', headers: server.admin })
  const texts = [tasks.text, list.body]
  const collections = (JSON.parse(list.body) as { collections: { id: string; links: { href: string }[] }[] })
    .collections
  for (const { id: layer, links } of collections) {
    const files = links.map(({ href }) => href).filter((href) => /\/files?\//.test(href))
    for (const url of [
      `/ogc/collections/${layer}/items?limit=5`,
      ...files.map((href) => new URL(href).pathname),
    ]) {
      texts.push((await server.app.inject({ url, headers: server.admin })).body)
    }
    await server.app.inject({
      method: 'DELETE',
      url: `/rest/layers/${layer}?recurse=true`,
      headers: server.admin,
    })
  }
  await client.call('DELETE', `/${id}`)
  return { text: texts.join('\n'), isLoaded: collections.length > 0 }
}

describe('links that change while they are read', () => {
  it('never let a file outside the import roots in', async (test) => {
    const root = await startSwapping(test)
    const client = await startImporter(test, { env: { TERRANE_IMPORT_ROOTS: root } })
    const sources = [
      ...names.map((file) => ({ type: 'file', file: join(root, 'sub', file) })),
      ...names.map((file) => ({ type: 'file', file: join(root, file) })),
      { type: 'file', file: join(root, 'sub', 'h.tif') },
      { type: 'directory', location: join(root, 'sub') },
      { type: 'directory', location: root },
      { type: 'mosaic', location: join(root, 'sub') },
      { type: 'remote', location: `file://${root}/sub/a.csv` },
    ]
    const leaks: string[] = []
    let loaded = 0
    let tries = 0
    const until = performance.now() + secondsMs
    // However slow the machine is, every source is tried.
    for (; performance.now() < until || tries < sources.length; tries += 1) {
      const data = sources[tries % sources.length] ?? {}
      const { text, isLoaded } = await seen(client, data)
      if (isLoaded) loaded += 1
      if (/secret/i.test(text))
        leaks.push(`${JSON.stringify(data)}: ${/.{0,80}secret.{0,80}/i.exec(text)?.[0]}`)
    }
    test.diagnostic(`${tries} imports, ${loaded} of them published something`)
    assert.deepEqual(leaks, [])
    assert.ok(loaded > 0, 'some files are inside when they are read')
  })
})
