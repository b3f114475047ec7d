import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { it } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { fileDatabase, storeParameters } from '../../../tests/support/postgis-store.ts'
import { parseConnectionSettings } from './connection-settings.ts'
import { ReadPool } from './read-pool.ts'

it('waits for a connection as long as others use them all, and leaves by its signal', async () => {
  const pool = new ReadPool(parseConnectionSettings(storeParameters(await fileDatabase())), {
    maxConnections: 1,
  })
  const first = await pool.lease()
  const abort = new AbortController()
  const leaving = pool.lease(abort.signal)
  const second = pool.lease()
  abort.abort(new Error('left'))
  await assert.rejects(leaving, /left/)
  let isLeased = false
  void second.then(() => {
    isLeased = true
  })
  await nextRound()
  assert.equal(isLeased, false)
  first.release()
  ;(await second).release()
  await pool.close()
})

it('refuses those who wait together with the one who cannot connect', async () => {
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? String(address.port) : ''
  const pool = new ReadPool(parseConnectionSettings({ ...storeParameters(await fileDatabase()), port }), {
    maxConnections: 1,
  })
  const errors = await Promise.all(
    [1, 2, 3].map(() =>
      pool.lease().then(
        () => undefined,
        (error: unknown) => error,
      ),
    ),
  )
  assert.ok(errors[0] instanceof Error)
  assert.deepEqual(errors, [errors[0], errors[0], errors[0]])
  await pool.close()
  server.close()
})
