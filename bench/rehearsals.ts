import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readImport } from '../src/cli/import-views.ts'
import type { RestClient } from '../src/cli/rest-client.ts'
import { runProgram } from '../src/lib/process.ts'
import { runSql } from '../tests/support/postgres.ts'
import { dataFile } from './data.ts'
import { createStore } from './load.ts'
import { quantile } from './quantile.ts'
import type { SmallResult } from './report.ts'
import { startBenchServer } from './server.ts'

const runs = 3
const hourMilliseconds = 3600_000
/** Of the time that the load itself takes. */
const wantedOfAdded = 1.15
const wantedOfCompared = 1.5
const targets = ['GeoPackage', 'PostGIS'] as const
type Target = (typeof targets)[number]

interface Task {
  updateMode: 'CREATE' | 'REPLACE' | 'APPEND' | 'UPSERT'
  keys?: string[]
}

/** The polygons with another name in each hundredth row. */
async function changedFile(folder: string, rows: number): Promise<{ file: string; changed: string }> {
  const file = await dataFile(folder, 'polygons', 'geopackage', rows)
  const changed = file.replace(/\.gpkg$/, '_changed.gpkg')
  if (existsSync(changed)) return { file, changed }
  copyFileSync(file, `${changed}.part.gpkg`)
  const db = new DatabaseSync(`${changed}.part.gpkg`)
  // What its triggers name; none of them acts where geometry and key stay.
  for (const name of ['ST_IsEmpty', 'ST_MinX', 'ST_MaxX', 'ST_MinY', 'ST_MaxY'])
    db.function(name, (_geometry) => 0)
  db.exec(`UPDATE polygons SET name = name || ' new' WHERE ident % 100 = 0`)
  db.close()
  copyFileSync(`${changed}.part.gpkg`, changed)
  rmSync(`${changed}.part.gpkg`)
  return { file, changed }
}

async function create(client: RestClient, file: string, task: Task, name = 'bench'): Promise<string> {
  const created = await client.post('/rest/imports', {
    import: { targetStore: { dataStore: { name: 'bench' } }, data: { type: 'file', file } },
  })
  const path = `/rest/imports/${readImport(created).id}`
  await client.put(`${path}/tasks/0`, { task: { ...task, layer: { name, nativeName: name } } })
  return path
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

async function timeRun(client: RestClient, file: string, task: Task, name?: string): Promise<number> {
  const path = await create(client, file, task, name)
  const milliseconds = await timed(() => client.post(path))
  const { state, message = '' } = readImport(await client.get(path))
  if (state !== 'COMPLETE') throw new Error(`${file}: ${state} ${message}`)
  return milliseconds
}

async function timeRehearsal(client: RestClient, file: string, task: Task, name?: string): Promise<number> {
  const path = await create(client, file, task, name)
  const milliseconds = await timed(() => client.post(`${path}/rehearsal`))
  await client.delete(`${path}/rehearsal`)
  return milliseconds
}

interface Times {
  create: number[]
  rehearsedCreate: number[]
  append: number[]
  rehearsedAppend: number[]
  replace: number[]
  byRows: number[]
  byKeys: number[]
  upsert: number[]
  sameAgain: number[]
  peer: number[]
}

async function timeAll(
  client: RestClient,
  { file, changed }: { file: string; changed: string },
  timePeer: () => Promise<number>,
): Promise<Times> {
  const times: Times = {
    ...{ create: [], rehearsedCreate: [], append: [], rehearsedAppend: [], replace: [] },
    ...{ byRows: [], byKeys: [], upsert: [], sameAgain: [], peer: [] },
  }
  const keys = ['ident']
  await timeRun(client, file, { updateMode: 'CREATE' }, 'first')
  for (let run = 0; run < runs; run += 1) {
    const name = `layer${run}`
    times.rehearsedCreate.push(await timeRehearsal(client, file, { updateMode: 'CREATE' }, name))
    times.create.push(await timeRun(client, file, { updateMode: 'CREATE' }, name))
    times.replace.push(await timeRun(client, file, { updateMode: 'REPLACE' }, name))
    times.byRows.push(await timeRehearsal(client, changed, { updateMode: 'REPLACE' }, name))
    times.byKeys.push(await timeRehearsal(client, changed, { updateMode: 'REPLACE', keys }, name))
    times.upsert.push(await timeRun(client, changed, { updateMode: 'UPSERT', keys }, name))
    times.sameAgain.push(await timeRun(client, changed, { updateMode: 'UPSERT', keys }, name))
    times.rehearsedAppend.push(await timeRehearsal(client, file, { updateMode: 'APPEND' }, name))
    times.append.push(await timeRun(client, file, { updateMode: 'APPEND' }, name))
    times.peer.push(await timePeer())
    await client.delete(`/rest/layers/default:${name}?recurse=true`)
  }
  return times
}

/** `ogr2ogr -upsert` into a copy of the file, by feature id. */
async function timeOgrUpsert(
  folder: string,
  { file, changed }: { file: string; changed: string },
): Promise<number> {
  const place = mkdtempSync(join(folder, 'upsert-'))
  try {
    const target = join(place, 'peer.gpkg')
    copyFileSync(file, target)
    return await timed(() =>
      runProgram('ogr2ogr', ['-upsert', target, changed, 'polygons'], { timeoutMs: hourMilliseconds }),
    )
  } finally {
    rmSync(place, { recursive: true })
  }
}

/** COPY into a table beside by `ogr2ogr`, then `INSERT ... ON CONFLICT` by its key. */
async function timeOnConflict(
  databaseUrl: URL,
  { file, changed }: { file: string; changed: string },
): Promise<number> {
  const { hostname, port, pathname, username, password, href } = databaseUrl
  const connection = `PG:host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}`
  const load = (source: string, table: string): Promise<unknown> =>
    runProgram(
      'ogr2ogr',
      ['-f', 'PostgreSQL', '--config', 'PG_USE_COPY', 'YES', connection, source, '-nln', table],
      { timeoutMs: hourMilliseconds },
    )
  await load(file, 'peer')
  await runSql(href, 'alter table peer add constraint peer_ident unique (ident); analyze peer')
  try {
    return await timed(async () => {
      await load(changed, 'peer_new')
      await runSql(
        href,
        `insert into peer (ident, name, kind, people, height, year, seen, geom)
         select ident, name, kind, people, height, year, seen, geom from peer_new
         on conflict (ident) do update set name = excluded.name, kind = excluded.kind, people = excluded.people,
           height = excluded.height, year = excluded.year, seen = excluded.seen, geom = excluded.geom`,
      )
    })
  } finally {
    await runSql(href, 'drop table if exists peer, peer_new')
  }
}

function toResults(target: Target, rows: number, times: Times): SmallResult[] {
  const of = (values: number[]): number => quantile(values, 0.5)
  const { create, replace, append, peer } = times
  const line = (name: string, values: number[], wantedMilliseconds: number): SmallResult => ({
    name: `${name} of ${rows} polygons, ${target}`,
    milliseconds: of(values),
    wantedMilliseconds: Math.round(wantedMilliseconds),
  })
  const best = Math.min(of(replace), of(peer))
  const peerName = target === 'GeoPackage' ? '`ogr2ogr -upsert`' : '`ogr2ogr` and `INSERT ... ON CONFLICT`'
  return [
    line(
      'rehearsal of a CREATE (wanted: 1.15 x the load)',
      times.rehearsedCreate,
      wantedOfAdded * of(create),
    ),
    line('rehearsal of an APPEND (1.15 x)', times.rehearsedAppend, wantedOfAdded * of(append)),
    line('rehearsal of a REPLACE by keys (1.5 x)', times.byKeys, wantedOfCompared * of(replace)),
    line('rehearsal of a REPLACE by rows (1.5 x)', times.byRows, wantedOfCompared * of(replace)),
    line('UPSERT with 1 % changed (REPLACE, or its peer)', times.upsert, best),
    line('UPSERT that changes nothing (REPLACE, or its peer)', times.sameAgain, best),
    line(`REPLACE beside it`, replace, of(replace)),
    line(`${peerName} beside it`, peer, of(peer)),
  ]
}

/** Rehearsals beside the loads that they rehearse, and upserts beside a load of everything and beside others' upserts. */
export async function runRehearsals(folder: string, databaseUrl: URL, rows: number): Promise<SmallResult[]> {
  const files = await changedFile(folder, rows)
  const results: SmallResult[] = []
  for (const target of targets) {
    const server = await startBenchServer(folder)
    try {
      await createStore(server.client, target, databaseUrl)
      const timePeer = (): Promise<number> =>
        target === 'GeoPackage' ? timeOgrUpsert(folder, files) : timeOnConflict(databaseUrl, files)
      results.push(...toResults(target, rows, await timeAll(server.client, files, timePeer)))
      const name = `peak MB of the server meanwhile, ${target}`
      results.push({ name, milliseconds: server.peakMegabytes(), wantedMilliseconds: 350 })
    } finally {
      await server.stop()
    }
  }
  return results
}
