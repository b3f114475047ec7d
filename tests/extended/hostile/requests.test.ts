import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Victim } from '../../support/hostile.ts'
import { authorization, peakMegabytes, startVictim } from '../../support/hostile.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import { patienceMs, until } from '../../support/until.ts'

const json = 'application/json'

/** Sends bytes unchanged. Returns the received text when the connection ends or after a time limit. */
function sendRaw(victim: Victim, bytes: string): Promise<string> {
  const { hostname, port } = new URL(victim.server.url)
  return new Promise((resolve) => {
    let output = ''
    const socket = connect(Number(port), hostname)
    const timer = setTimeout(() => socket.destroy(), patienceMs)
    socket.on('data', (chunk) => {
      output += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.once('close', () => {
      clearTimeout(timer)
      resolve(output)
    })
    socket.write(bytes)
  })
}

describe('a server that is asked badly', () => {
  it('refuses JSON that is too deep, too wide, too long or no JSON, soon and with a short answer', async (test) => {
    const victim = await startVictim(test, temporaryData(test))
    const cases: [string, number, RegExp][] = [
      ['['.repeat(5_000_000), 400, /not JSON/],
      [`${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}`, 413, /deeper than 100/],
      [
        `{"import":{${Array.from({ length: 300_000 }, (_, at) => `"k${at}":1`).join(',')}}}`,
        413,
        /100000 values/,
      ],
      [`{"import":{"transforms":[${'{},'.repeat(1_000_000)}{}]}}`, 413, /100000 values/],
      [`{"import":{"transforms":[${'{"type":"x"},'.repeat(20_000)}{"type":"x"}]}}`, 400, /100 items/],
      [`{"import":{"__proto__":{"isAdmin":true}}}`, 400, /__proto__/],
      [`${'[{a:'.repeat(60_000)}`, 400, /not JSON/],
      [
        `{"import":{"targetWorkspace":{"workspace":{"name":"${'x'.repeat(4e6)}"}}}}`,
        400,
        /does not exist|xxx\.\.\./,
      ],
      ['\u0000\u0001\u0002', 400, /not JSON/],
    ]
    for (const [body, status, words] of cases) {
      const reply = await victim.send('POST', '/rest/imports', body, json)
      assert.equal(reply.status, status, `${body.slice(0, 40)}: ${reply.text.slice(0, 300)}`)
      assert.match(reply.text, words)
      assert.ok(reply.text.length < 20_000, `${reply.text.length} characters for ${body.slice(0, 40)}`)
    }
    await victim.assertLives()
  })

  it('keeps no body in memory that it does not want: a form, JSON in place of files', async (test) => {
    const victim = await startVictim(test, temporaryData(test))
    const id = await victim.newImport()
    await victim.assertLives()
    const before = peakMegabytes(victim.server.process.pid)
    const large = Buffer.alloc(300 * 2 ** 20, 'x')
    for (const type of ['application/x-www-form-urlencoded', json, 'text/plain']) {
      const reply = await victim.send('POST', `/rest/imports/${id}/tasks`, large, type).catch(() => undefined)
      assert.ok(reply === undefined || [413, 415].includes(reply.status), `${type}: ${reply?.text}`)
    }
    const grown = peakMegabytes(victim.server.process.pid) - before
    assert.ok(grown < 150, `${grown} MB more`)
    assert.deepEqual(victim.leftovers(), [])
    await victim.assertLives()
  })

  it('refuses floods of headers, and other hosts and parameters get into no header or link', async (test) => {
    const victim = await startVictim(test, temporaryData(test))
    const get = 'GET /rest/imports HTTP/1.1\r\nHost: x\r\n'
    for (const flood of [`${get}${'A: b\r\n'.repeat(100_000)}\r\n`, `${get}A: ${'b'.repeat(1e6)}\r\n\r\n`])
      assert.match(await sendRaw(victim, flood), /^HTTP\/1.1 431 /)
    const login = `Authorization: ${authorization}\r\nConnection: close\r\n\r\n`
    await victim.newImport()
    const answer = await sendRaw(victim, `GET /rest/imports HTTP/1.1\r\nHost: evil"><script>\r\n${login}`)
    assert.doesNotMatch(answer, /<script>/)
    const names = Array.from({ length: 300 }, (_, at) => `k${at}%0d%0aSet-Cookie:%20x=1`).join('&')
    const ignored = await victim.send('POST', `/rest/imports?${names}`, '{}', json)
    assert.equal(ignored.headers.get('set-cookie'), null)
    assert.ok((ignored.headers.get('terrane-ignored') ?? '').length <= 1024)
    await victim.assertLives()
  })

  it('answers others while bodies come by drops and streams of events are never read', async (test) => {
    const victim = await startVictim(test, temporaryData(test))
    const id = await victim.newImport()
    const { hostname, port } = new URL(victim.server.url)
    const head = `Host: x\r\nAuthorization: ${authorization}\r\n`
    const sockets = Array.from({ length: 200 }, (_, at) => {
      const socket = connect(Number(port), hostname).on('error', () => undefined)
      test.after(() => socket.destroy())
      if (at % 2 === 0) {
        socket.write(`GET /rest/imports/${id}/events HTTP/1.1\r\n${head}\r\n`)
        return socket.pause()
      }
      socket.write(
        `PUT /rest/imports/${id}/tasks/f${at}.csv HTTP/1.1\r\n${head}Content-Length: 1000\r\n\r\na,b`,
      )
      return socket
    })
    await sleep(500)
    await victim.assertLives()
    for (const socket of sockets) socket.destroy()
    // A busy server accepts some of the connections only after the client has closed them.
    let emptyLooks = 0
    await until(() => {
      emptyLooks = victim.leftovers().length === 0 ? emptyLooks + 1 : 0
      return emptyLooks > 100
    })
    assert.equal(String((await victim.call('GET', `/${id}`)).json.import?.state), 'PENDING')
    await victim.assertLives()
  })
})
