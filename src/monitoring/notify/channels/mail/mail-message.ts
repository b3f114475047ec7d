import { escapeHtml } from '../../../../core/text/escape.ts'
import { readableDuration } from '../../model/duration.ts'
import type { AnyMessage } from '../../model/model.ts'
import type { ServerIdentity } from '../channel.ts'
import { configUrl, statusUrl } from '../channel.ts'

export interface MailText {
  subject: string
  text: string
  html: string
}

/**
 * Formats a message as a mail: problem, start time, values, links to the status, and how to stop the
 * messages.
 */
export function toMail(message: AnyMessage, graceSeconds: number, identity: ServerIdentity): MailText {
  const facts = factsOf(message, graceSeconds, identity)
  return { subject: subjectOf(message, identity), text: textOf(message, facts), html: htmlOf(message, facts) }
}

function subjectOf({ kind, severity, checkName }: AnyMessage, { host }: ServerIdentity): string {
  const what = { alert: severity, recovery: 'resolved', test: 'test' }[kind]
  return oneLine(`Terrane at ${host}: ${what}: ${checkName}`)
}

/** Removes line breaks and other control characters. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}

interface Facts {
  head: string
  lines: [caption: string, value: string][]
  statusUrl: string
  configUrl: string
}

function factsOf(message: AnyMessage, graceSeconds: number, identity: ServerIdentity): Facts {
  const { kind, checkId, checkName, severity, failingSince, spottedAt } = message
  if (kind === 'test') return testFacts(message, identity)
  const lasted = readableDuration((Date.parse(spottedAt) - Date.parse(failingSince)) / 1000)
  const isAlert = kind === 'alert'
  return {
    head: isAlert
      ? `The check "${oneLine(checkName)}" of Terrane at ${identity.host} does not hold.`
      : `The check "${oneLine(checkName)}" of Terrane at ${identity.host} holds again.`,
    lines: [
      ['Severity', severity],
      ['Since', isAlert ? timeText(failingSince) : `${timeText(failingSince)}, for ${lasted}`],
      ...(isAlert
        ? [['Seen', timeText(spottedAt)] as [string, string]]
        : [['Holds again', timeText(spottedAt)] as [string, string]]),
      [
        'Next message',
        isAlert ? `at least ${readableDuration(graceSeconds)} from now` : 'when it fails again',
      ],
    ],
    statusUrl: statusUrl(identity),
    configUrl: configUrl(identity, checkId),
  }
}

function testFacts({ checkId, checkName, spottedAt }: AnyMessage, identity: ServerIdentity): Facts {
  return {
    head: `This is a test of the check "${oneLine(checkName)}" of Terrane at ${identity.host}: its messages arrive. Nothing is wrong.`,
    lines: [['Sent', timeText(spottedAt)]],
    statusUrl: statusUrl(identity),
    configUrl: configUrl(identity, checkId),
  }
}

function timeText(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`
}

const silence =
  'To stop these messages, switch the check off, take your address out of it, or give it a longer grace period:'

function textOf({ checkDescription, problems }: AnyMessage, facts: Facts): string {
  const width = Math.max(...facts.lines.map(([caption]) => caption.length)) + 1
  return [
    facts.head,
    checkDescription,
    '',
    ...problems.flatMap(({ message, description }) => [`* ${message}`, `  ${description}`, '']),
    ...facts.lines.map(([caption, value]) => `${`${caption}:`.padEnd(width)} ${value}`),
    '',
    `All problems at this moment: ${facts.statusUrl}`,
    silence,
    facts.configUrl,
    '',
  ].join('\n')
}

function htmlOf({ kind, checkDescription, problems }: AnyMessage, facts: Facts): string {
  const colour = kind === 'alert' ? '#b42318' : '#067647'
  const cell = 'style="padding:2px 16px 2px 0;text-align:left;font-weight:normal"'
  const rows = facts.lines.map(
    ([caption, value]) => `<tr><th ${cell}>${escapeHtml(caption)}</th><td>${escapeHtml(value)}</td></tr>`,
  )
  const items = problems.map(
    ({ message, description }) =>
      `<li><strong>${escapeHtml(message)}</strong><br>${escapeHtml(description)}</li>`,
  )
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"></head>',
    '<body style="font-family:sans-serif;line-height:1.5;color:#1d2939">',
    `<p style="border-left:4px solid ${colour};padding-left:12px"><strong>${escapeHtml(facts.head)}</strong><br>`,
    `${escapeHtml(checkDescription)}</p>`,
    items.length === 0 ? '' : `<ul>${items.join('')}</ul>`,
    `<table>${rows.join('')}</table>`,
    `<p>${linkTo(facts.statusUrl, 'All problems at this moment')}</p>`,
    `<p style="color:#667085">${escapeHtml(silence)} ${linkTo(facts.configUrl, facts.configUrl)}</p>`,
    '</body></html>',
  ].join('\n')
}

function linkTo(url: string, caption: string): string {
  return `<a href="${escapeHtml(url)}">${escapeHtml(caption)}</a>`
}
