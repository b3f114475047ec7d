import { textsOf } from '../messages.ts'
import { de } from './de.ts'
import { en } from './en.ts'

export const usageTexts = textsOf({ en, de })
