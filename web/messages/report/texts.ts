import { textsOf } from '../messages.ts'
import { de } from './de.ts'
import { en } from './en.ts'

export const reportTexts = textsOf({ en, de })
