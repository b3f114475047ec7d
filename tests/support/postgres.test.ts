import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { it } from 'node:test'
import { runSql, testCluster } from './postgres.ts'
import { until } from './until.ts'

it('gives each caller a database of its own with PostGIS', async () => {
  const cluster = await testCluster()
  const [one, two] = await Promise.all([cluster.createDatabase(), cluster.createDatabase()])
  await runSql(one, 'create table only_here (geom geometry(Point, 4326))')
  assert.notEqual(one, two)
  assert.deepEqual(await runSql(two, `select to_regclass('only_here') as found`), [{ found: null }])
})

it('refuses a wrong password', async () => {
  const cluster = await testCluster()
  const url = new URL(cluster.url('postgres'))
  url.password = 'wrong'
  await assert.rejects(runSql(url.href, 'select 1'), { code: '28P01' })
})

it('ends the cluster with a process that is killed', async () => {
  const module = new URL('./postgres.ts', import.meta.url).href
  const script = `import { startPostgres } from '${module}'
const cluster = await startPostgres()
console.log(cluster.url('postgres'))
setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve) => {
    child.stdout.once('data', (bytes) => resolve(String(bytes).trim()))
  })
  await runSql(url, 'select 1')
  child.kill('SIGKILL')
  await until(() =>
    runSql(url, 'select 1').then(
      () => false,
      () => true,
    ),
  )
})
