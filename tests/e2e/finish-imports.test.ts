import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Cleanup, Ended } from '../support/terrane-process.ts'
import { runTerrane, runTerraneWith, startTerrane, temporaryData } from '../support/terrane-process.ts'

const password = 'e2e-password'
const survey = 'id,name,latitude,longitude\n1,a,52.5,13.4\n2,b,48.1,11.5\n'
const changed = 'id,name,latitude,longitude\n1,a,52.5,13.4\n2,B,48.1,11.5\n3,c,50,10\n'

/** A server that is started by options, and commands against it. */
async function serve(t: Cleanup, data: string) {
  const env = { TERRANE_ADMIN_PASSWORD: password, TERRANE_SAMPLE: 'off', TERRANE_LOG: 'warn' }
  const options = ['--port', '0', '--host', '127.0.0.1', '--data', data]
  const server = startTerrane(t, ['serve', ...options], {
    ...env,
    TERRANE_PORT: '1',
    TERRANE_DATA: '/nowhere',
  })
  const url = (await server.line(/^Terrane is ready at /)).split(' ').at(-1) ?? ''
  const settings = { TERRANE_PASSWORD: password }
  const run = (args: string[]): Promise<Ended> => runTerrane(t, [...args, '--url', url], settings)
  return {
    run,
    /** Runs a command that succeeds, and gives what it prints. */
    done: async (args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await run(args)
      assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`)
      return stdout
    },
    /** The same with this standard input. */
    runWith: (args: string[], input: string): Promise<Ended> =>
      runTerraneWith(t, [...args, '--url', url], settings, input),
    stop: async () => {
      server.signal('SIGTERM')
      await server.ended
    },
  }
}

describe('terrane imports', () => {
  it('finishes imports that wait, without the pages', async (t) => {
    const data = temporaryData(t)
    const server = await serve(t, join(data, 'data'))
    const sent = await server.runWith(['import', '-', '--name', 'survey.csv'], survey)
    assert.equal(sent.code, 1)
    assert.match(sent.stdout, /NO_GEOMETRY/)
    const listed = JSON.parse(await server.done(['imports', '--json'])) as {
      imports: Record<string, unknown>[]
    }
    const [{ id, state, user, tasks } = {}] = listed.imports
    assert.deepEqual({ state, user, tasks }, { state: 'PENDING', user: 'admin', tasks: { NO_CRS: 1 } })
    const importId = String(id)
    assert.match(await server.done(['imports', 'show', importId]), /0 +NO_CRS +survey +survey\.csv/)
    const crs = await server.run(['imports', 'set-crs', importId, 'EPSG:25833'])
    assert.equal(crs.code, 1)
    assert.match(crs.stdout, /No task with a geometry waits for a CRS/)
    const columns = ['imports', 'set-columns', importId]
    assert.equal((await server.run(columns)).code, 2)
    const wrong = await server.run([...columns, '--lat', 'latitude', '--lon', 'nothing'])
    assert.equal(wrong.code, 1)
    assert.match(wrong.stdout, /no column "nothing": there are id, name, latitude, longitude/)
    assert.match(
      await server.done([...columns, '--lat', 'latitude', '--lon', 'longitude']),
      /READY +survey +EPSG:4326/,
    )
    assert.match(await server.done(['imports', 'run', importId]), /survey +COMPLETE +2/)
    assert.match(await server.done(['imports', 'cancel', importId]), /Import \d+: COMPLETE/)
    assert.equal((await server.run(['imports', 'run', '99'])).code, 1)
    assert.equal((await server.run(['imports', 'cancel', 'x'])).code, 2)

    // A Shapefile without .prj waits for its CRS alone.
    for (const ending of ['shp', 'shx', 'dbf'])
      writeFileSync(
        join(data, `lines.${ending}`),
        readFileSync(`tests/fixtures/shapefile/ne_110m_admin_0_boundary_lines_land.${ending}`),
      )
    const lines = await server.run(['import', join(data, 'lines.shp'), '--json'])
    assert.equal(lines.code, 1, lines.stdout)
    const next = String(Number(importId) + 1)
    assert.match(await server.done(['imports', 'set-crs', next, 'EPSG:4326']), /READY +lines +EPSG:4326/)
    assert.match(await server.done(['imports', 'run', next]), /lines +COMPLETE +185/)

    const layers = JSON.parse(await server.done(['layers', '--json'])) as {
      layers: Record<string, unknown>[]
    }
    assert.deepEqual(
      layers.layers.map(({ name, kind, rows, srs }) => [name, kind, rows, srs]),
      [
        ['lines', 'vector', 185, 'EPSG:4326'],
        ['survey', 'vector', 2, 'EPSG:4326'],
      ],
    )

    const upsert = ['import', '-', '--name', 'survey.csv', '--mode', 'upsert', '--keys', 'id']
    const coordinates = ['--lat', 'latitude', '--lon', 'longitude']
    const first = await server.runWith([...upsert, ...coordinates], changed)
    assert.match(first.stdout, /1 added, 1 changed, 0 removed, 1 unchanged/)
    const again = await server.runWith([...upsert, ...coordinates, '--json'], changed)
    const [task] = (JSON.parse(again.stdout) as { tasks: { changes: unknown }[] }).tasks
    assert.deepEqual(task?.changes, { added: 0, changed: 0, removed: 0, unchanged: 3 })

    const csv = await server.run(['download', 'survey', '--format', 'csv', '--output', '-'])
    assert.match(csv.stdout, /^id_0,id,name,WKT\r?\n1,1,/)
    assert.match(csv.stderr, /3 rows/)
    await server.stop()
  })

  it('keeps files of one name in different folders apart, and changes metadata and styles', async (t) => {
    const data = temporaryData(t)
    const server = await serve(t, join(data, 'data'))
    for (const folder of ['north', 'south']) {
      mkdirSync(join(data, 'survey', folder), { recursive: true })
      writeFileSync(join(data, 'survey', folder, 'roads.csv'), survey)
    }
    assert.match(await server.done(['import', join(data, 'survey'), '--table-only']), /2 of 2 imported/)
    const texts = [
      '--keyword',
      'a',
      '--keyword',
      'b',
      '--attribution',
      'Me',
      '--licence',
      'CC0',
      '--contact',
      'x@y',
      '--owner',
      'Roads',
      '--citation',
      'Me (2026)',
      '--doi',
      'doi:10.1234/Roads',
    ]
    const shown = await server.done(['layers', 'change', 'roads', ...texts])
    assert.match(
      shown,
      /keywords +a, b\nattribution +Me\nlicence +CC0\ncontact +x@y\nowner +Roads\ncitation +Me \(2026\)\ndoi +10\.1234\/roads/,
    )
    assert.doesNotMatch(await server.done(['layers', 'change', 'roads', '--keyword', 'none']), /keywords/)

    const file = join(data, 'line.sld')
    await server.done(['styles', 'download', 'line', '--output', file])
    assert.match(readFileSync(file, 'utf8'), /<StyledLayerDescriptor/)
    assert.match(await server.done(['styles', 'create', 'mine', file]), /name +mine\nformat +sld/)
    const document = (await server.done(['styles', 'download', 'line', '--format', 'maplibre'])).toString()
    const change = await server.runWith(['styles', 'change', 'mine', '-', '--format', 'maplibre'], document)
    assert.match(change.stdout, /format +maplibre/)
    assert.match(await server.done(['styles']), /mine +maplibre/)
    const further = ['--style', 'mine', '--further-style', 'line']
    const drawn = await server.done(['layers', 'change', 'roads', ...further])
    assert.match(drawn, /style +mine\n[\s\S]*further styles +line|further styles +line/)
    assert.equal((await server.run(['styles', 'delete', 'mine'])).code, 1)
    await server.done(['styles', 'delete', 'mine', '--recurse'])
    await server.stop()
  })
})
