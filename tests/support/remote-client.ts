import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ImporterClient, Json } from './importer-client.ts'
import { startImporter } from './importer-client.ts'

/** A server that may fetch from this host's loopback addresses. */
export function startFetcher(test: TestContext, env: Record<string, string> = {}): Promise<ImporterClient> {
  return startImporter(test, { env: { TERRANE_REMOTE_ALLOW: '127.0.0.0/8', ...env } })
}

/** Creates an import of remote data and returns it after the fetch and the scan. */
export async function importRemote(client: ImporterClient, data: object): Promise<Json> {
  const { status, json, text } = await client.call('POST', '', {
    import: { data: { type: 'remote', ...data } },
  })
  assert.equal(status, 201, text)
  return json.import as Json
}

/** Waits until an import is no longer in INIT. */
export async function untilPrepared(client: ImporterClient, id: number): Promise<Json> {
  for (;;) {
    const { json } = await client.call('GET', `/${id}`)
    if (String(json.import?.state) !== 'INIT') return json.import as Json
    await sleep(30)
  }
}

export function statesOf(imported: Json): string[] {
  return (imported.tasks as unknown as Json[]).map((task) => String(task.state))
}
