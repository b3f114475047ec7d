import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { it } from 'node:test'

it('a server without sharp says so when a picture is wanted, and not before', async () => {
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier === 'sharp') throw new Error('Could not load the "sharp" module')
      return next(specifier, context)
    },
  })
  try {
    const { loadSharp } = await import('./load-sharp.ts')
    await assert.rejects(loadSharp(), { code: 'no-pictures', kind: 'unavailable' })
  } finally {
    hooks.deregister()
  }
})
