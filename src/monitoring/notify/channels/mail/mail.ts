import type { Channel } from '../channel.ts'
import { mailAddress, mailCaption, mailKinds, parseAddresses } from './mail-receivers.ts'
import { createMailSender } from './send-mail.ts'

/** Sends mail to users, at their address at the time of sending, and to other addresses. */
export const mail: Channel = {
  name: 'mail',
  kinds: Object.values(mailKinds),
  field: {
    name: 'emails',
    caption: 'Emails',
    description: 'Addresses, one a line',
    example: 'duty@example.org',
    separator: /[\n,;]/,
    maxLines: 100,
    isFirst: true,
  },
  parse: parseAddresses,
  addressOf: mailAddress,
  captionOf: mailCaption,
  open: ({ settings: { smtpUrl, mailFrom }, identity, outbound: { authorities } }) =>
    smtpUrl === undefined
      ? {
          notice: 'No mail is sent: TERRANE_SMTP_URL is not set',
          reason: 'TERRANE_SMTP_URL is not set, so that no mail is sent',
        }
      : createMailSender({ url: new URL(smtpUrl.reveal()), identity, authorities, from: mailFrom }),
}
