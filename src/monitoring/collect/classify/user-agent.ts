import bowser from 'bowser'
import { isbot } from 'isbot'
import { BoundedCache } from '../../../core/caches/bounded-cache.ts'
import { programs } from './gis-clients.ts'

/** Device name in user agent families of robots. */
export const robotDevice = 'Spider'
const maxLength = 512
const cacheSize = 5000
const families = new BoundedCache<string, string>(cacheSize)

/**
 * Returns the family of a user agent as device, system and client with its version, such as `PC / Ubuntu /
 * Firefox 68.0`, `PC / Windows / QGIS 3.22` or `Spider / Other / Googlebot 2.1`. Unknown parts are `Other`.
 */
export function classifyUserAgent(userAgent: string): string {
  return families.get(userAgent.slice(0, maxLength), findFamily)
}

function findFamily(userAgent: string): string {
  const text = userAgent.replace(/\p{Cc}/gu, ' ')
  const program = findProgram(text)
  if (program !== undefined) {
    const system = systemOf(text)
    return join(system === undefined ? undefined : deviceOf(system), system, program)
  }
  if (!/\w/.test(text)) return join()
  if (isbot(text)) return join(robotDevice, undefined, botOf(text))
  return findBrowser(text)
}

function join(device?: string, system?: string, client?: string): string {
  return [device, system, client].map((one) => one || 'Other').join(' / ')
}

function findProgram(text: string): string | undefined {
  for (const [name, pattern] of programs) {
    const found = pattern.exec(text)
    if (found !== null) return withVersion(name, found[1] ?? '')
  }
  return undefined
}

/** Adds major and minor version; QGIS writes 3.22.4 as 32204. */
function withVersion(name: string, version: string): string {
  const digits = /^\d{5,6}$/.test(version) && name === 'QGIS' ? Number(version) : undefined
  if (digits !== undefined) return `${name} ${Math.floor(digits / 10_000)}.${Math.floor(digits / 100) % 100}`
  const short = /^\d{1,6}(?:\.\d{1,6})?/.exec(version)?.[0]
  return short === undefined ? name : `${name} ${short}`
}

const systems: readonly [name: string, pattern: RegExp][] = [
  ['Windows', /\bWindows|\bWin(?:32|64)\b|MINGW/i],
  ['Android', /\bAndroid\b/i],
  ['iOS', /\b(?:iPhone|iPad|iOS)\b/],
  ['Mac OS X', /\b(?:Mac ?OS|macOS|Darwin)/i],
  ['Ubuntu', /\bUbuntu\b/i],
  ['Linux', /\bLinux\b/i],
]

function systemOf(text: string): string | undefined {
  return systems.find(([, pattern]) => pattern.test(text))?.[0]
}

function deviceOf(system: string): string {
  return system === 'Android' || system === 'iOS' ? 'Mobile' : 'PC'
}

/** Returns the name of a robot: the word with a version that does not belong to a browser. */
function botOf(text: string): string | undefined {
  const words = text.matchAll(/([A-Za-z][\w.-]{1,40})(?:\/v?(\d[\d.]{0,20}))?/g)
  for (const [, name = '', version = ''] of words) {
    if (/bot|crawl|spider|slurp|fetch|monitor|check|preview|archive|feed/i.test(name)) {
      return withVersion(name, version)
    }
  }
  const [, first = '', version = ''] = /^([A-Za-z][\w.-]{1,40})(?:\/v?(\d[\d.]{0,20}))?/.exec(text) ?? []
  return first === '' || first === 'Mozilla' ? undefined : withVersion(first, version)
}

function findBrowser(text: string): string {
  const { browser, os, platform } = bowser.parse(text)
  const client = browser.name === undefined ? undefined : withVersion(browser.name, browser.version ?? '')
  return join(browserDevice(platform), browserSystem(text, os), client)
}

function browserDevice({ type, vendor, model }: { type?: string; vendor?: string; model?: string }): string {
  if (type === 'desktop') return 'PC'
  if (type === undefined) return 'Other'
  return (vendor === undefined ? model : [vendor, model].filter(Boolean).join(' ')) ?? capital(type)
}

function browserSystem(
  text: string,
  { name, version, versionName }: { name?: string; version?: string; versionName?: string },
): string | undefined {
  if (name === 'Linux') return systemOf(text) ?? name
  if (name === 'Windows') return versionName === undefined ? name : `${name} ${versionName}`
  if (name === 'macOS') return withVersion('Mac OS X', version ?? '')
  return name === undefined ? undefined : withVersion(name, version ?? '')
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}
