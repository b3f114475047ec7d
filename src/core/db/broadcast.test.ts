import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { runSql, testCluster } from '../../../tests/support/postgres.ts'
import { silentLogger } from '../../../tests/support/silent-logger.ts'
import { Secret } from '../secrets/secret.ts'
import type { Broadcast } from './broadcast.ts'
import { openBroadcast } from './broadcast.ts'

interface Member {
  broadcast: Broadcast
  heard: unknown[]
}

async function join(test: TestContext, url: string): Promise<Member> {
  const broadcast = await openBroadcast(new Secret(url), silentLogger)
  test.after(() => broadcast.close())
  const heard: unknown[] = []
  broadcast.listen('news', (body) => heard.push(body))
  return { broadcast, heard }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await delay(10)
}

describe('a broadcast', () => {
  it('is heard in order by every other process that listens to its topic, and not by its own', async (test) => {
    const url = await (await testCluster()).createDatabase()
    const [one, two, three] = [await join(test, url), await join(test, url), await join(test, url)]
    one.broadcast.tell('other', { number: 0 })
    const bodies = Array.from({ length: 20 }, (_, number) => ({ number, text: "it's \u00e9" }))
    for (const body of bodies) one.broadcast.tell('news', body)
    await until(() => two.heard.length === 20 && three.heard.length === 20)
    assert.deepEqual([one.heard, two.heard, three.heard], [[], bodies, bodies])
  })

  it('leaves out what is too long, and goes on', async (test) => {
    const url = await (await testCluster()).createDatabase()
    const [one, two] = [await join(test, url), await join(test, url)]
    one.broadcast.tell('news', { text: '\u00e9'.repeat(4000) })
    one.broadcast.tell('news', { text: 'short' })
    await until(() => two.heard.length > 0)
    assert.deepEqual(two.heard, [{ text: 'short' }])
  })

  it('is heard again after the connection was lost', async (test) => {
    const url = await (await testCluster()).createDatabase()
    const [one, two] = [await join(test, url), await join(test, url)]
    await runSql(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'terrane broadcast'`,
    )
    while (two.heard.length === 0) {
      one.broadcast.tell('news', { text: 'again' })
      await delay(50)
    }
    assert.deepEqual(two.heard[0], { text: 'again' })
  })
})
