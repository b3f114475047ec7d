import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { ImporterClient } from '../../support/importer-client.ts'
import { startImporter } from '../../support/importer-client.ts'
import { patienceMs } from '../../support/until.ts'

interface News {
  id?: number
  event: string
  data: { state?: string; taskId?: number; phase?: string; progress?: number; total?: number }
}

interface Stream {
  headers: Headers
  /** Reads until an event matches, and returns all events up to it. */
  until(isLast: (news: News) => boolean): Promise<News[]>
}

function parseNews(block: string): News {
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
  const id = field('id')
  return { event: field('event'), data: JSON.parse(field('data')), ...(id === '' ? {} : { id: Number(id) }) }
}

async function openEvents(
  test: TestContext,
  client: ImporterClient,
  url: string,
  lastEventId?: number,
): Promise<Stream> {
  const abort = new AbortController()
  test.after(() => abort.abort())
  const reply = await fetch(`${url}/rest/imports/0/events`, {
    signal: AbortSignal.any([abort.signal, AbortSignal.timeout(patienceMs)]),
    headers: {
      ...client.server.admin,
      ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
    },
  })
  assert.equal(reply.status, 200)
  assert.ok(reply.body)
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  return {
    headers: reply.headers,
    until: async (isLast) => {
      const heard: News[] = []
      for (;;) {
        const end = rest.indexOf('\n\n')
        if (end >= 0) {
          const news = parseNews(rest.slice(0, end))
          rest = rest.slice(end + 2)
          heard.push(news)
          if (isLast(news)) return heard
          continue
        }
        const { value, done } = await reader.read()
        assert.ok(!done, `the stream ended after ${JSON.stringify(heard)}`)
        rest += value
      }
    },
  }
}

const isComplete = (news: News): boolean => news.event === 'import' && news.data.state === 'COMPLETE'
const states = (heard: News[], event: string): (string | undefined)[] =>
  heard.filter((news) => news.event === event).map((news) => news.data.state)

async function startWithImport(test: TestContext): Promise<{ client: ImporterClient; url: string }> {
  const client = await startImporter(test)
  client.provide('geojson/countries.geojson')
  await client.call('POST', '', {
    import: {
      targetStore: { dataStore: { name: 'default' } },
      data: { type: 'file', file: 'countries.geojson' },
    },
  })
  const url = await client.server.app.listen({ host: '127.0.0.1', port: 0 })
  return { client, url }
}

describe('the events of an import', () => {
  it('tell its state at once, then everything until it is complete', async (test) => {
    const { client, url } = await startWithImport(test)
    const stream = await openEvents(test, client, url)
    assert.match(stream.headers.get('content-type') ?? '', /^text\/event-stream/)
    assert.match(stream.headers.get('cache-control') ?? '', /no-cache/)
    const [first] = await stream.until(() => true)
    assert.deepEqual(first, { event: 'import', data: { state: 'READY' } })
    await client.call('POST', '/0?async=true')
    const heard = await stream.until(isComplete)
    assert.deepEqual(states(heard, 'import'), ['RUNNING', 'COMPLETE'])
    assert.deepEqual(states(heard, 'task').at(-1), 'COMPLETE')
    const progress = heard.filter((news) => news.event === 'progress').map((news) => news.data)
    assert.equal(progress.at(-1)?.progress, 242)
    assert.ok(progress.every(({ taskId }) => taskId === 0))
    const ids = heard.map((news) => news.id ?? 0)
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => a - b),
    )
    assert.equal(new Set(ids).size, ids.length)
  })

  it('go on after the one that Last-Event-ID names, none twice and none left out', async (test) => {
    const { client, url } = await startWithImport(test)
    const stream = await openEvents(test, client, url)
    await stream.until(() => true)
    await client.call('POST', '/0')
    const heard = await stream.until(isComplete)
    const middle = heard[1]?.id
    assert.ok(middle !== undefined)
    const again = await openEvents(test, client, url, middle)
    assert.deepEqual(await again.until(isComplete), heard.slice(2))
  })

  it('end when the server stops, and are 404 for an import that does not exist', async (test) => {
    const { client, url } = await startWithImport(test)
    assert.equal((await client.call('GET', '/7/events')).status, 404)
    const stream = await openEvents(test, client, url)
    await stream.until(() => true)
    const ended = assert.rejects(stream.until(isComplete), /the stream ended/)
    await client.server.close()
    await ended
  })
})
