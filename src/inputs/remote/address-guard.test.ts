import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Failure } from '../../core/errors/errors.ts'
import { createAddressGuard } from './address-guard.ts'

const signal = new AbortController().signal
const isRefused = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'remote-address-refused'

const closedGuard = createAddressGuard({ allow: [], ownPort: () => undefined })

async function listen(test: TestContext): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => undefined).end('x'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.after(() => server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

describe('the address guard', () => {
  for (const address of [
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0.1.2.3',
    '10.1.2.3',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '192.0.0.8',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '::ffff:0:10.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::1',
    '2002:a00:1::',
    '2002:7f00:1::1',
    '2001:0:4136:e378:8000:63bf:80ff:fffe',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%lo',
    'fec0::1',
    'ff02::1',
  ]) {
    it(`refuses ${address}`, () => {
      assert.throws(() => closedGuard.check(address, address, 80), isRefused)
    })
  }

  for (const address of [
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '2002:808:808::1',
    '64:ff9b::8.8.8.8',
  ]) {
    it(`lets ${address} be reached`, () => closedGuard.check(address, address, 80))
  }

  it("refuses this host's own addresses, public ones too", () => {
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
    for (const { address } of own) {
      assert.throws(() => closedGuard.check(address, address, 80), isRefused)
    }
  })

  it('lets a private network be reached that is allowed, and nothing beside it', () => {
    const guard = createAddressGuard({
      allow: ['10.1.0.0/16', 'fd12::/32', '127.0.0.1'],
      ownPort: () => 8080,
    })
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', 'fd12::7', '127.0.0.1']) {
      guard.check(address, address, 80)
    }
    for (const address of ['10.2.0.1', 'fd13::1', '127.0.0.2', '64:ff9b::10.1.2.3']) {
      assert.throws(() => guard.check(address, address, 80), isRefused, address)
    }
  })

  it('refuses its own port on this host even when the address is allowed', () => {
    const guard = createAddressGuard({ allow: ['0.0.0.0/0', '::/0'], ownPort: () => 8080 })
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '0.0.0.0', '::']) {
      assert.throws(() => guard.check(address, address, 8080), isRefused, address)
      guard.check(address, address, 8081)
    }
    guard.check('10.0.0.1', '10.0.0.1', 8080)
  })

  it('connects to the address that it checked, without asking for the name again', async (test) => {
    const port = await listen(test)
    const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.2']
    let requested = 0
    const guard = createAddressGuard({
      allow: ['127.0.0.1/32'],
      ownPort: () => undefined,
      resolve: async () => [{ address: answers[requested++] ?? '', family: 4 }],
    })
    const socket = await guard.connect('two-faced.example', port, signal)
    assert.equal(socket.remoteAddress, '127.0.0.1')
    assert.equal(requested, 1)
    socket.destroy()
    await assert.rejects(guard.connect('two-faced.example', port, signal), isRefused)
  })

  it('refuses a name of which one address is private', async () => {
    const guard = createAddressGuard({
      allow: [],
      ownPort: () => undefined,
      resolve: async () => ['8.8.8.8', '10.0.0.1'].map((address) => ({ address, family: 4 })),
    })
    await assert.rejects(guard.connect('mixed.example', 80, signal), isRefused)
  })

  it('refuses odd spellings of loopback addresses once the system has resolved them', async () => {
    for (const host of ['localhost', 'localhost.', '2130706433', '0x7f.1', '017700000001', '127.1']) {
      const refused = closedGuard.connect(host, 80, signal)
      await assert.rejects(
        refused,
        (error) => isRefused(error) || /looked up|the host does not exist/.test(String(error)),
      )
    }
  })

  it('decides about every address', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        try {
          closedGuard.check(address, address, 80)
        } catch (error) {
          assert.ok(isRefused(error), String(error))
        }
      }),
    )
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom('::ffff:', '64:ff9b::', '::'), (inner, prefix) => {
        const isOpen = (address: string): boolean => {
          try {
            closedGuard.check(address, address, 80)
            return true
          } catch {
            return false
          }
        }
        assert.ok(isOpen(inner) || !isOpen(prefix + inner), prefix + inner)
      }),
    )
  })

  it('ends at once when the signal aborts while a name is looked up', async () => {
    const guard = createAddressGuard({
      allow: [],
      ownPort: () => undefined,
      resolve: () => new Promise(() => undefined),
    })
    const abort = new AbortController()
    const waiting = guard.connect('slow.example', 80, abort.signal)
    abort.abort(new Error('enough'))
    await assert.rejects(waiting, /enough/)
  })
})
