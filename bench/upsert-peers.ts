import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../src/core/process/process.ts'
import { runSql } from '../tests/support/postgres.ts'
import type { ProcessorTime, Took } from './processor-time.ts'

const hourMilliseconds = 3600_000

/** The same polygons twice, the second time with changes. */
export interface TwoFiles {
  file: string
  changed: string
}

/** Another program that brings a table to the state of the changed file. */
export interface UpsertPeer {
  name: string
  measure(time: ProcessorTime): Promise<Took>
  end(): Promise<void>
}

/** `ogr2ogr -upsert` into a copy of the file, by feature id. */
export function ogrUpsert(folder: string, { file, changed }: TwoFiles): UpsertPeer {
  const place = mkdtempSync(join(folder, 'upsert-'))
  const target = join(place, 'peer.gpkg')
  return {
    name: '`ogr2ogr -upsert`',
    measure: (time) => {
      copyFileSync(file, target)
      return time.measure(() =>
        runProgram('ogr2ogr', ['-upsert', target, changed, 'polygons'], { timeoutMs: hourMilliseconds }),
      )
    },
    end: async () => rmSync(place, { recursive: true, force: true }),
  }
}

const columns = ['name', 'kind', 'people', 'height', 'year', 'seen', 'geom']

function onConflictSql(ready: string, { isSparing }: { isSparing: boolean }): string {
  const list = columns.join(', ')
  const set = columns.map((column) => `${column} = excluded.${column}`).join(', ')
  const differs = columns.map((column) => `peer.${column} is distinct from excluded.${column}`).join(' or ')
  return `begin;
    create temporary table fresh (like peer_ready) on commit drop;
    copy fresh from '${ready}' with (format binary);
    insert into peer (ident, ${list}) select ident, ${list} from fresh
      on conflict (ident) do update set ${set}${isSparing ? ` where ${differs}` : ''};
    commit`
}

/**
 * Loads prepared binary rows by COPY into a temporary table, then runs `INSERT ... ON CONFLICT` on a unique
 * key: once in the common form, once so that it writes only changed rows. Alternates with the original rows,
 * so that the same number of rows differs each time.
 */
export async function onConflict(databaseUrl: URL, { file, changed }: TwoFiles): Promise<UpsertPeer[]> {
  const { hostname, port, pathname, username, password, href } = databaseUrl
  const connection = `PG:host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}`
  const load = (source: string, table: string): Promise<unknown> =>
    runProgram(
      'ogr2ogr',
      ['-f', 'PostgreSQL', '--config', 'PG_USE_COPY', 'YES', connection, source, '-nln', table],
      { timeoutMs: hourMilliseconds },
    )
  const [row] = await runSql(href, 'show data_directory')
  const files: string[] = []
  for (const [number, source] of [file, changed].entries()) {
    const ready = `${String(row?.data_directory)}/peer_${number}.bin`
    await runSql(href, 'drop table if exists peer_ready')
    await load(source, 'peer_ready')
    await runSql(href, `copy peer_ready to '${ready}' with (format binary)`)
    files.push(ready)
  }
  await load(file, 'peer')
  await runSql(href, 'alter table peer add constraint peer_ident unique (ident)')
  let turn = 0
  const peer = (name: string, isSparing: boolean): UpsertPeer => ({
    name,
    measure: async (time) => {
      turn += 1
      await runSql(href, 'vacuum analyze peer')
      return time.measure(() => runSql(href, onConflictSql(files[turn % 2] ?? '', { isSparing })))
    },
    end: async () => {
      await runSql(href, 'drop table if exists peer, peer_ready')
    },
  })
  return [peer('COPY and `INSERT ... ON CONFLICT`', false), peer('the same, writing only what differs', true)]
}
