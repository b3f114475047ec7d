import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { peakMegabytes, startVictim } from '../../support/hostile.ts'
import { temporaryData } from '../../support/terrane-process.ts'

const password = 'password-of-the-database'

/** Returns a message of the server (PostgreSQL, "Message Formats"), whose declared length may be wrong. */
function message(type: string, body: Uint8Array | string, length?: number): Buffer {
  const content = Buffer.from(body as string)
  const head = Buffer.alloc(5)
  head.write(type, 0, 'latin1')
  head.writeInt32BE(length ?? content.length + 4, 1)
  return Buffer.concat([head, content])
}

const welcome = Buffer.concat([message('R', '\0\0\0\0'), message('Z', 'I')])
const noColumns = message('T', '\0\0')
const longest = 0x7fffffff

function sendForEver(socket: Socket, chunk: Buffer): void {
  const send = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', send)
  send()
}

/**
 * Behaviour of such a server after the client's first message, and the pattern of the error message for the
 * client.
 */
const behaviours: Record<string, [(socket: Socket) => void, RegExp]> = {
  'sends nonsense': [(socket) => socket.write(randomBytes(100_000)), /not speak the protocol|answered/],
  'sends nonsense without end': [
    (socket) => sendForEver(socket, Buffer.alloc(65_536, 'x')),
    /does not speak the protocol of PostgreSQL/,
  ],
  'announces a login of two gigabytes': [
    (socket) => {
      socket.write(message('R', '', longest))
      sendForEver(socket, Buffer.alloc(65_536))
    },
    /does not speak the protocol of PostgreSQL/,
  ],
  'answers with a row of two gigabytes': [
    (socket) => {
      socket.write(welcome)
      socket.once('data', () => {
        socket.write(Buffer.concat([noColumns, message('D', '', longest)]))
        sendForEver(socket, Buffer.alloc(65_536))
      })
    },
    /does not speak the protocol of PostgreSQL/,
  ],
  'answers with rows without end': [
    (socket) => {
      socket.write(welcome)
      socket.once('data', () => {
        socket.write(noColumns)
        sendForEver(socket, Buffer.concat(Array.from({ length: 1000 }, () => message('D', '\0\0'))))
      })
    },
    // On a slow machine the first response may be too late.
    /answers with rows without end|takes the login and then does not/,
  ],
  'takes the login and never answers': [
    (socket) => socket.write(welcome),
    /takes the login and then does not/,
  ],
  'repeats the password in its words': [
    (socket) => socket.end(message('E', `SFATAL\0C28P01\0Mno entry with ${password}\0\0`)),
    /password is wrong/,
  ],
}

async function startHostile(test: TestContext, act: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    test.after(() => socket.destroy())
    socket.on('error', () => undefined).once('data', () => act(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.after(() => server.close())
  return (server.address() as AddressInfo).port
}

describe('a database server that means harm', () => {
  it('is told of and left, as source and as store, with bounded memory and without the password', async (test) => {
    const victim = await startVictim(test, temporaryData(test))
    await victim.assertLives()
    const tries = Object.entries(behaviours).map(async ([name, [act, words]], at) => {
      const port = await startHostile(test, act)
      const address = { host: '127.0.0.1', port, database: 'd', user: 'u', passwd: password }
      const data = { type: 'database', parameters: { dbtype: 'postgis', ...address } }
      const store = { name: `s${at}`, type: 'PostGIS', connectionParameters: address }
      const post = (path: string, body: object) =>
        victim.send('POST', path, JSON.stringify(body), 'application/json')
      const [source, target] = await Promise.all([
        post('/rest/database-imports', { import: { data } }),
        post('/rest/workspaces/default/datastores', { dataStore: store }),
      ])
      const { state, message: reason } = source.json.import ?? {}
      assert.equal(String(state), 'INIT_ERROR', `${name}: ${source.text}`)
      assert.match(String(reason), words, name)
      assert.ok(!String(reason).includes(password), name)
      assert.equal(target.status, 400, `${name}: ${target.text}`)
      assert.match(target.text, words, name)
      assert.ok(!target.text.includes(password), name)
    })
    await Promise.all(tries)
    const peak = peakMegabytes(victim.server.process.pid)
    assert.ok(peak < 1500, `${peak} MB`)
    await victim.assertLives()
    assert.ok(!(await victim.log()).includes(password))
  })
})
