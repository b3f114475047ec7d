import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { it } from 'node:test'
import { orAborted } from './or-aborted.ts'

it('gives the result or the error of the work, and leaves no listener behind', async () => {
  const { signal } = new AbortController()
  assert.equal(await orAborted(Promise.resolve(7), signal), 7)
  await assert.rejects(orAborted(Promise.reject(new Error('broken')), signal), /broken/)
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

it('ends with the reason of the signal, before the work or while it hangs', async () => {
  const controller = new AbortController()
  const hanging = orAborted(new Promise(() => undefined), controller.signal)
  controller.abort(new Error('stopped'))
  await assert.rejects(hanging, /stopped/)
  await assert.rejects(orAborted(Promise.reject(new Error('late')), controller.signal), /stopped/)
})
