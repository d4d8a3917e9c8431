import MailComposer from "nodemailer/lib/mail-composer";
import type { Sender } from "../../domain/email-address.ts";

/** One addressee, no copies and no files: what was approved is all that is sent. */
export interface Letter {
  /** The same letter sent again has the same one: receivers know it by that. */
  key: string;
  to: string;
  subject: string;
  /** Plain text. */
  text: string;
  /** Milliseconds. */
  writtenAt: number;
}

/** One plain text mail, ready for the wire. Header fields cannot end a line: the library folds and encodes them. */
export function composeLetter(letter: Letter, sender: Sender): Promise<Buffer> {
  return new MailComposer({
    from: { ...sender },
    to: { name: "", address: letter.to },
    subject: letter.subject,
    text: letter.text,
    date: new Date(letter.writtenAt),
    messageId: messageIdOf(letter, sender),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}

/** Made of the key, so that a receiver can tell the same letter when it comes twice. */
export function messageIdOf({ key }: Letter, { address }: Sender): string {
  const domain = address.slice(address.lastIndexOf("@") + 1);
  return `<${key}@${domain}>`;
}
