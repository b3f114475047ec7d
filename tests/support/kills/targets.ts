import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { snapshotName } from '../../../src/stores/postgis/identifiers.ts'
import { storeParameters } from '../postgis-store.ts'
import { runSql } from '../postgres.ts'
import { patience } from '../until.ts'

/** Rows of a table by their attribute `part`: how many, and the sum of their numbers and of distinct geometries. */
export type Content = Record<string, { rows: number; sum: number; geometries: number }>

/**
 * Store that a killed server wrote to. The test inspects it from outside without changing what the recovery
 * will find.
 */
export interface KillTarget {
  name: string
  definition: object
  /** Undefined where there is no such table. */
  content(table: string): Promise<Content | undefined>
  /** Point layers that are keyed by `gid`: its rows with what their id in the store is, by `gid`. */
  points(table: string): Promise<PointRow[]>
  /** Creates a view that depends on a table, and returns how many rows it shows. */
  addView(table: string): Promise<void>
  viewCount(table: string): Promise<number>
  /** Fails unless the store contains exactly these states of tables, by their ids. */
  assertKept(ids: readonly string[]): Promise<void>
  /**
   * Fails unless the store is valid and contains these tables, those with previous states of layers, and
   * nothing else.
   */
  assertClean(tables: string[], kept: ReadonlySet<string>): Promise<void>
}

export interface PointRow {
  gid: number
  fid: number
  name: string
  /** X and y as little endian doubles, in hexadecimal digits. */
  point: string
}

interface ContentRow {
  part: string
  rows: number
  sum: number
  geometries: number
}

function toContent(rows: ContentRow[]): Content {
  return Object.fromEntries(
    rows.map(({ part, rows: count, sum, geometries }) => [
      part,
      { rows: Number(count), sum: Number(sum), geometries: Number(geometries) },
    ]),
  )
}

/**
 * Returns a stamp that changes when the file is written. A running server moves the log into the file and
 * removes the log.
 */
function stampOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeNs}`
}

function copyWhole(path: string, copy: string): void {
  const names = ['', '-wal']
  const stamp = (): string => names.map((suffix) => stampOf(`${path}${suffix}`)).join()
  for (const hasTime = patience(); hasTime(); ) {
    const before = stamp()
    for (const suffix of names) {
      rmSync(`${copy}${suffix}`, { force: true })
      if (existsSync(`${path}${suffix}`)) writeFileSync(`${copy}${suffix}`, readFileSync(`${path}${suffix}`))
    }
    if (stamp() === before) return
  }
  throw new Error(`${path} does not come to rest`)
}

/** Opens a copy of the file and its log, so that the original stays as the killed server left it. */
function lookAtCopy<Result>(path: string, look: (db: DatabaseSync) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-killed-'))
  try {
    const copy = join(folder, basename(path))
    copyWhole(path, copy)
    const db = new DatabaseSync(copy)
    try {
      return look(db)
    } finally {
      db.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export function geoPackageTarget(path: string): KillTarget {
  return {
    name: 'file',
    definition: { name: 'file', type: 'GeoPackage', connectionParameters: { database: path } },
    content: async (table) =>
      lookAtCopy(path, (db) => {
        if (db.prepare('select 1 from gpkg_contents where table_name = ?').get(table) === undefined)
          return undefined
        const rows = db
          .prepare(
            `select part, count(*) as rows, sum(number) as sum, count(distinct substr(geom, -16)) as geometries
             from "${table}" group by part order by part`,
          )
          .all()
        return toContent(rows as unknown as ContentRow[])
      }),
    points: async (table) =>
      lookAtCopy(path, (db) => {
        const sql = `select gid, fid, name, lower(hex(substr(geom, -16))) as point from "${table}" order by gid`
        return db.prepare(sql).all() as unknown as PointRow[]
      }),
    addView: async (table) => {
      const db = new DatabaseSync(path)
      db.exec(`create view "${table}_seen" as select gid, name from "${table}"`)
      db.close()
    },
    viewCount: async (table) =>
      lookAtCopy(path, (db) => Number(db.prepare(`select count(*) as n from "${table}_seen"`).get()?.['n'])),
    assertKept: async (ids) =>
      lookAtCopy(path, (db) => {
        const names = (sql: string): string[] =>
          db
            .prepare(sql)
            .all()
            .map((row) => String(row['name']))
        const parts = names(
          `select name from sqlite_schema where type = 'table' and name glob 'gpkg_terrane_*_[0-9]*'`,
        )
        const isKeeping =
          names(`select name from sqlite_schema where name = 'gpkg_terrane_states'`).length > 0
        const from = 'from gpkg_terrane_states order by id'
        const numbers = isKeeping ? names(`select number as name ${from}`) : []
        for (const part of parts)
          assert.ok(numbers.includes(/\d+$/.exec(part)?.[0] ?? ''), `${part} belongs to no state`)
        assert.deepEqual(isKeeping ? names(`select id as name ${from}`) : [], ids.toSorted())
      }),
    assertClean: async (tables) => {
      const files = readdirSync(dirname(path)).filter((name) => !/-(wal|shm)$/.test(name))
      assert.deepEqual(files, [basename(path)], 'a side file is left over')
      lookAtCopy(path, (db) => {
        assert.deepEqual(db.prepare('pragma integrity_check').all().map(Object.values), [['ok']])
        const found = db.prepare('select table_name from gpkg_contents order by 1').all()
        assert.deepEqual(
          found.map((row) => row['table_name']),
          tables,
        )
        for (const table of tables) {
          const rtree = `rtree_${table}_geom`
          assert.deepEqual(Object.values(db.prepare('select rtreecheck(?)').get(rtree) ?? {}), ['ok'])
          const [indexed, all] = [rtree, table].map(
            (name) => db.prepare(`select count(*) as n from "${name}"`).get()?.['n'],
          )
          assert.equal(indexed, all, `${rtree} does not hold every row`)
        }
        const others = db
          .prepare(
            `select name from sqlite_schema where type = 'table' and name not like 'gpkg_%'
             and name not like 'rtree_%' and name not like 'sqlite_%' order by 1`,
          )
          .all()
        assert.deepEqual(
          others.map((row) => row['name']),
          tables,
          'a table is left over',
        )
      })
    },
  }
}

/** Previous versions of layers are stored on purpose; the tests that store them check them. */
const relationsSql = `
select c.relname as name, c.relkind as kind, coalesce(
  (select i.indrelid from pg_index i where i.indexrelid = c.oid),
  (select d.refobjid from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
     and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i')), c.oid)::regclass::text as owner
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'public' and c.relname not in ('spatial_ref_sys', 'spatial_ref_sys_pkey')
  and not starts_with(c.relname, 'terrane_kept_')
  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
order by 1`

const openTransactionsSql = `
select state, application_name from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
  and (application_name like 'terrane_load%' or state like 'idle in transaction%')`

export function postgisTarget(url: string): KillTarget {
  return {
    name: 'database',
    definition: {
      name: 'database',
      type: 'PostGIS',
      connectionParameters: { dbtype: 'postgis', ...storeParameters(url) },
    },
    content: async (table) => {
      const [found] = await runSql(url, 'select to_regclass($1) as found', [`public."${table}"`])
      if (found?.['found'] === null) return undefined
      const rows = await runSql(
        url,
        `select part, count(*) as rows, sum(number) as sum, count(distinct geom) as geometries
         from public."${table}" group by part order by part`,
      )
      return toContent(rows as unknown as ContentRow[])
    },
    points: async (table) =>
      (await runSql(
        url,
        `select gid::int, fid::int, name, encode(substr(st_asbinary(geom, 'NDR'), 6), 'hex') as point
         from public."${table}" order by gid`,
      )) as unknown as PointRow[],
    addView: async (table) => {
      await runSql(url, `create view public."${table}_seen" as select gid, name from public."${table}"`)
    },
    viewCount: async (table) => {
      const [row] = await runSql(url, `select count(*)::int as n from public."${table}_seen"`)
      return Number(row?.['n'])
    },
    assertKept: async (ids) => {
      const found = await runSql(
        url,
        `select relname from pg_class where relkind = 'r' and starts_with(relname, 'terrane_kept_')`,
      )
      assert.deepEqual(found.map(({ relname }) => String(relname)).sort(), ids.map(snapshotName).sort())
    },
    assertClean: async (tables, kept) => {
      const all = await runSql(url, relationsSql)
      const relations = all.filter((one) => !kept.has(String(one['owner'])))
      const names = (kind: string): unknown[] =>
        relations.filter((one) => one['kind'] === kind).map((one) => one['name'])
      assert.deepEqual(names('r'), tables, 'a table is left over')
      assert.equal(names('i').length, tables.length * 2, `indexes: ${names('i').join(', ')}`)
      assert.equal(names('S').length, tables.length, `sequences: ${names('S').join(', ')}`)
      // Reads of the new rows for maps end soon in the background; connections that a load left over stay.
      const hasTime = patience()
      let open = await runSql(url, openTransactionsSql)
      while (open.length > 0 && hasTime()) {
        await sleep(200)
        open = await runSql(url, openTransactionsSql)
      }
      assert.deepEqual(open, [], 'a connection of a load is left over')
    },
  }
}
