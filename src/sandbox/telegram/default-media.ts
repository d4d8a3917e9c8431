/** Small valid files for people who send one without saying which. */

/** A grey baseline JPEG; width and height are multiples of 16. */
export function makeJpeg(width: number, height: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16BE(height, 0);
  size.writeUInt16BE(width, 2);
  // one Huffman code in each table, so every block is two zero bits
  const blocks = (width / 8) * (height / 8);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    jpegSegment(0xdb, [0, ...new Array(64).fill(1)]),
    jpegSegment(0xc0, [8, ...size, 1, 1, 0x11, 0]),
    jpegSegment(0xc4, [0x00, 1, ...new Array(15).fill(0), 0]),
    jpegSegment(0xc4, [0x10, 1, ...new Array(15).fill(0), 0]),
    jpegSegment(0xda, [1, 1, 0, 0, 63, 0]),
    Buffer.alloc(blocks / 4),
    Buffer.from([0xff, 0xd9]),
  ]);
}

/** An MP4 container of one second without a track. */
export function makeMp4(): Buffer {
  const header = Buffer.alloc(100);
  header.writeUInt32BE(1000, 12); // units in a second
  header.writeUInt32BE(1000, 16); // duration
  header.writeUInt32BE(0x00010000, 20); // normal speed
  header.writeUInt16BE(0x0100, 24); // full volume
  const matrix = [0x00010000, 0, 0, 0, 0x00010000, 0, 0, 0, 0x40000000];
  for (const [index, value] of matrix.entries()) header.writeUInt32BE(value, 36 + index * 4);
  header.writeUInt32BE(1, 96); // next track
  return Buffer.concat([
    mp4Box("ftyp", Buffer.from("isom\0\0\x02\0isomiso2mp41", "latin1")),
    mp4Box("moov", mp4Box("mvhd", header)),
    mp4Box("mdat", Buffer.alloc(0)),
  ]);
}

/** A PDF of one empty page. */
export function makePdf(): Buffer {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>",
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((body, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const table = `xref\n0 4\n0000000000 65535 f \n${offsets.join("")}`;
  const trailer = `trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(text + table + trailer, "latin1");
}

/** An Ogg page that opens an Opus stream. */
export function makeOgg(): Buffer {
  const head = Buffer.from("OpusHead\x01\x01\0\0\x80\xbb\0\0\0\0\0", "latin1");
  const page = Buffer.alloc(28);
  page.write("OggS", 0, "latin1");
  page.writeUInt8(2, 5); // first page of the stream
  page.writeUInt32LE(1, 14); // stream number
  page.writeUInt8(1, 26);
  page.writeUInt8(head.length, 27);
  return Buffer.concat([page, head]);
}

function jpegSegment(marker: number, body: readonly number[]): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, Buffer.from(body)]);
}

function mp4Box(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8, 0);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, body]);
}
