import { runProgram } from '../src/core/process/process.ts'
import { runSql } from '../tests/support/postgres.ts'

const hourMilliseconds = 3600_000

/**
 * Seconds that PostgreSQL itself needs for the rows of a file: reading them from a ready binary file, building key and
 * spatial index on two connections, statistics. No loader can be quicker.
 */
export async function timeCopyLimit(file: string, databaseUrl: URL): Promise<number> {
  const { hostname, port, pathname, username, password, href } = databaseUrl
  const target = `PG:host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}`
  const names = ['-lco', 'FID=ogc_fid', '-lco', 'GEOMETRY_NAME=wkb_geometry']
  const options = [
    '-f',
    'PostgreSQL',
    '--config',
    'PG_USE_COPY',
    'YES',
    target,
    file,
    '-nln',
    'ready',
    ...names,
  ]
  await runProgram('ogr2ogr', options, { timeoutMs: hourMilliseconds })
  const [row] = await runSql(href, 'show data_directory')
  const ready = `${String(row?.data_directory)}/ready.bin`
  await runSql(href, `copy ready to '${ready}' with (format binary)`)
  const start = performance.now()
  await runSql(
    href,
    `begin; create table bare (like ready); copy bare from '${ready}' with (format binary, freeze); commit`,
  )
  const indexes = ['create unique index on bare (ogc_fid)', 'create index on bare using gist (wkb_geometry)']
  await Promise.all(indexes.map((statement) => runSql(href, statement)))
  await runSql(href, 'analyze bare')
  const seconds = (performance.now() - start) / 1000
  await runSql(href, 'drop table bare, ready')
  return seconds
}
