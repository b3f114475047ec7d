#!/usr/bin/env node
// Plain JavaScript, so that an older Node gets a sentence and not a syntax error.
const major = Number(process.versions.node.split('.')[0])
if (major >= 24) {
  await import('../src/main.ts')
} else {
  process.stderr.write(`Terrane needs Node 24 or later; this is Node ${process.versions.node}.\n`)
  process.exitCode = 1
}
