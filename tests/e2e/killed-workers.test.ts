import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { startWithStore } from '../support/kills/loads.ts'
import { contentOf, writeParts } from '../support/kills/part-files.ts'
import { gdal } from '../support/rasters.ts'

/** Processes that a process has started and that read or load data. */
function loadProcesses(parent: number): number[] {
  const threads = readdirSync(`/proc/${parent}/task`)
  const children = threads.flatMap((tid) =>
    readFileSync(`/proc/${parent}/task/${tid}/children`, 'utf8').trim().split(' '),
  )
  return children
    .filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('load-work'))
    .map(Number)
}

it('a load whose process somebody kills runs again, and is complete', async (t) => {
  const { dataDir, server, target } = await startWithStore(t, 'GeoPackage')
  const incoming = join(dataDir, 'incoming')
  writeParts(incoming, ['a'])
  // Nobody knows what SQLite would do with a file of others: a process reads it.
  gdal('ogr2ogr', '-f', 'GPKG', join(incoming, 'a.gpkg'), join(incoming, 'a.shp'))
  const created = await server.call('POST', '/rest/imports', {
    import: {
      targetWorkspace: { workspace: { name: target.name } },
      targetStore: { dataStore: { name: target.name } },
      data: { type: 'file', file: 'a.gpkg' },
    },
  })
  const id = Number(created.json.import?.id)
  const put = await server.call('PUT', `/rest/imports/${id}/tasks/0`, {
    task: { updateMode: 'CREATE', layer: { name: 'places', nativeName: 'places' } },
  })
  assert.equal(put.status, 200, put.text)
  const reached = await server.watch(id)
  const running = server.call('POST', `/rest/imports/${id}?async=true`)
  assert.ok(await reached(/"phase":"loading"/))
  const pids = loadProcesses(server.process.pid)
  assert.ok(pids.length > 0, 'a process loads')
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  await running
  const done = await server.importIn(id, ['COMPLETE', 'COMPLETE_ERROR'], 300_000)
  assert.equal(done.state, 'COMPLETE', JSON.stringify(done))
  assert.deepEqual(await target.content('places'), contentOf('a'))
  await target.assertClean(['places'], new Set())
  await server.stop()
})
