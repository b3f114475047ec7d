// Loaded before a test file into a process that it has for itself: notes what the file took.
import { relative } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { noteFile } from './file-times.ts'

const [, file = ''] = process.argv
if (isMainThread && file.endsWith('.test.ts')) process.on('exit', noteFile(relative(process.cwd(), file)))
