import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { processorSeconds, runTerrane, startTerrane, temporaryData } from '../support/terrane-process.ts'

const password = 'e2e-password'
const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`

function settings(data: string): Record<string, string> {
  return { TERRANE_DATA: data, TERRANE_PORT: '0', TERRANE_ADMIN_PASSWORD: password, TERRANE_LOG: 'warn' }
}

async function readyUrl(server: ReturnType<typeof startTerrane>): Promise<string> {
  return (await server.line(/^Terrane is ready at /)).split(' ').at(-1) ?? ''
}

async function collectionIds(url: string): Promise<string[]> {
  const answer = await fetch(`${url}/ogc/collections`, { headers: { authorization } })
  const { collections } = (await answer.json()) as { collections: { id: string }[] }
  return collections.map((one) => one.id).sort()
}

describe('terrane serve', () => {
  it('imports the sample data on the first start, and not again', async (t) => {
    const data = temporaryData(t)
    const layers = ['default:boundary_lines', 'default:countries', 'default:states']
    const first = startTerrane(t, ['serve'], settings(data))
    const url = await readyUrl(first)
    await first.line(/Stop it with/)
    assert.equal((await fetch(`${url}/health`)).status, 200)
    assert.deepEqual(await collectionIds(url), layers)
    const anonymous = (await (await fetch(`${url}/ogc/collections`)).json()) as {
      collections: { id: string }[]
    }
    assert.deepEqual(
      anonymous.collections.map(({ id }) => id),
      layers,
      'everyone reads the sample layers',
    )
    assert.equal((await fetch(`${url}/rest/workspaces/default`)).status, 401, 'their workspace stays private')
    first.signal('SIGTERM')
    assert.equal((await first.ended).code, 0)

    const second = startTerrane(t, ['serve'], settings(data))
    const again = await readyUrl(second)
    const seconds = processorSeconds(second.pid)
    await second.line(/Stop it with/)
    assert.deepEqual(await collectionIds(again), layers)
    second.signal('SIGINT')
    const { code, stdout, stderr } = await second.ended
    assert.equal(code, 0)
    assert.doesNotMatch(stdout, /sample/)
    assert.doesNotMatch(stderr, /Warning/)
    assert.ok(seconds < 3, `the second start took ${seconds} s of processor time`)
  })

  it('imports nothing when the sample is switched off', async (t) => {
    const server = startTerrane(t, ['serve'], { ...settings(temporaryData(t)), TERRANE_SAMPLE: 'off' })
    const url = await readyUrl(server)
    await server.line(/Stop it with/)
    assert.deepEqual(await collectionIds(url), [])
    server.signal('SIGTERM')
    assert.equal((await server.ended).code, 0)
  })

  it('runs with small pools of memory, in the process that was started; settings of the caller count', async (t) => {
    const env = { ...settings(temporaryData(t)), TERRANE_SAMPLE: 'off', MALLOC_ARENA_MAX: '3' }
    const server = startTerrane(t, ['serve'], env)
    await readyUrl(server)
    const words = ['cmdline', 'environ'].flatMap((name) =>
      readFileSync(`/proc/${server.pid}/${name}`, 'utf8').split('\0'),
    )
    for (const word of ['--max-semi-space-size=8', 'MALLOC_ARENA_MAX=3', 'MALLOC_TRIM_THRESHOLD_=131072'])
      assert.ok(words.includes(word), word)
    server.signal('SIGTERM')
    assert.equal((await server.ended).code, 0)
  })

  it('tells every wrong setting at once and ends with 2', async (t) => {
    const env = { ...settings(temporaryData(t)), TERRANE_PORT: 'x', TERRANE_DIALECT: 'y' }
    const { code, stderr } = await runTerrane(t, ['serve'], env)
    assert.equal(code, 2)
    assert.match(stderr, /TERRANE_PORT[\s\S]*TERRANE_DIALECT/)
  })

  it('says who holds the data directory when another server has it', async (t) => {
    const data = temporaryData(t)
    const first = startTerrane(t, ['serve'], { ...settings(data), TERRANE_SAMPLE: 'off' })
    await readyUrl(first)
    const { code, stderr } = await runTerrane(t, ['serve'], settings(data))
    assert.equal(code, 1)
    assert.match(stderr, new RegExp(`in use by another Terrane \\(process ${first.pid}\\)`))
    first.signal('SIGTERM')
    await first.ended
  })
})
