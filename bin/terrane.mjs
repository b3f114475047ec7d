#!/usr/bin/env node
// Plain JavaScript, so that an older Node gets this far.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const main = new URL('../src/main.ts', import.meta.url)
// The set-up links the Node that it fetched here.
const fetched = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))

if (Number(process.versions.node.split('.')[0]) >= 24) {
  // Before the first TypeScript, so that Node has kept it without its types: to start what strips them takes longer than most
  // commands.
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)))
  await import(main.href)
} else if (existsSync(fetched)) {
  const child = spawn(fetched, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: 'inherit' })
  // A terminal sends SIGINT to the child itself.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
} else {
  process.stderr.write(
    `Terrane needs Node 24 or later; this is Node ${process.versions.node}. "npm run setup" fetches it.\n`,
  )
  process.exitCode = 1
}
