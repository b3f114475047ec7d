import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import type { EndlessView } from '../../support/endless-view.ts'
import { writeEndlessView } from '../../support/endless-view.ts'
import type { Victim } from '../../support/hostile.ts'
import { startVictim } from '../../support/hostile.ts'
import { processorSeconds, temporaryData } from '../../support/terrane-process.ts'
import { until } from '../../support/until.ts'

/** Longer than a process takes to start and to describe the file. */
const busySeconds = 2.5
const silenceSeconds = 3

/** The processes that a process has started and that live. */
function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** An import of the view into the default store; gives its id. */
async function prepare(victim: Victim, kind: EndlessView = 'cross-join'): Promise<number> {
  writeEndlessView(join(victim.incoming, 'endless.gpkg'), kind)
  const made = await victim.call('POST', '', { import: { data: { type: 'file', location: 'endless.gpkg' } } })
  assert.equal(made.status, 201, made.text)
  const id = Number(made.json['import']?.['id'])
  const sent = await victim.call('PUT', `/${id}/tasks/0/target`, { dataStore: { name: 'default' } })
  assert.equal(sent.status, 200, sent.text)
  return id
}

const stateOf = async (victim: Victim, id: number): Promise<string> =>
  String((await victim.call('GET', `/${id}`)).json['import']?.['tasks']?.[0]?.['state'])

/** Runs the import and waits until its process is busy. */
async function runUntilBusy(victim: Victim, id: number): Promise<number> {
  assert.equal((await victim.call('POST', `/${id}?async=true`)).status, 204)
  let busy: number | undefined
  await until(() => {
    busy = childrenOf(victim.server.process.pid).find((pid) => processorSeconds(pid) > busySeconds)
    return busy !== undefined
  })
  return busy ?? 0
}

for (const catalogue of ['SQLite', 'PostgreSQL']) {
  describe(`an import from a view without end, catalogue in ${catalogue}`, { concurrency: true }, () => {
    const settings = async (seconds: number): Promise<Record<string, string>> => ({
      TERRANE_MAX_SILENCE: String(seconds),
      ...(catalogue === 'PostgreSQL' ? { TERRANE_DATABASE_URL: await createCatalogDatabase() } : {}),
    })

    it('can be cancelled and deleted, keeps nobody else waiting, and begins once more after a restart', async (test) => {
      const dataDir = temporaryData(test)
      const env = await settings(600)
      const victim = await startVictim(test, dataDir, env)
      const id = await prepare(victim)
      const first = await runUntilBusy(victim, id)
      assert.equal((await victim.send('GET', '/health')).status, 200)
      assert.equal((await victim.call('DELETE', `/${id}/tasks/0/run`)).status, 204)
      assert.equal(await stateOf(victim, id), 'CANCELED')
      await until(() => !isAlive(first))
      await victim.assertLives()
      const second = await runUntilBusy(victim, id)
      await victim.server.kill()
      await until(() => !isAlive(second))
      const again = await startVictim(test, dataDir, env)
      let third = 0
      await until(() => {
        third = childrenOf(again.server.process.pid).find((pid) => processorSeconds(pid) > busySeconds) ?? 0
        return third !== 0
      })
      assert.equal((await again.call('DELETE', `/${id}`)).status, 200)
      await until(() => !isAlive(third))
      assert.equal((await again.call('GET', `/${id}`)).status, 404)
      await again.assertLives()
      await again.server.stop()
    })

    it('is ended when it neither gets on nor hears: told on the task, in the log, in numbers', async (test) => {
      const victim = await startVictim(test, temporaryData(test), await settings(silenceSeconds))
      const id = await prepare(victim)
      assert.equal((await victim.call('POST', `/${id}`)).status, 204)
      assert.equal(await stateOf(victim, id), 'ERROR')
      const task = (await victim.call('GET', `/${id}/tasks/0`)).text
      assert.match(task, /no progress for 3 s/)
      const metrics = await victim.send('GET', '/metrics')
      assert.match(metrics.text, /terrane_work_ended_total\{kind="load"\} 1\n/)
      const health = await victim.send('GET', '/health')
      assert.deepEqual(health.json['loads'], { running: 0, queued: 0, ended: 1 })
      assert.deepEqual(
        childrenOf(victim.server.process.pid).filter((pid) => processorSeconds(pid) > busySeconds),
        [],
      )
      const recursive = await prepare(victim, 'recursive')
      assert.equal((await victim.call('POST', `/${recursive}`)).status, 204)
      assert.match((await victim.call('GET', `/${recursive}/tasks/0`)).text, /not authorized/)
      await victim.assertLives()
      assert.match(await victim.log(), /work was ended by the server/)
    })
  })
}
