import { serveWork } from '../../../lib/workers/serve-work.ts'
import { documentFunctions } from './document-functions.ts'

serveWork(documentFunctions)
