// biome-ignore lint/style/noProcessEnv: shows what no program may, to prove that it is seen
process.stderr.write(`refused with ${process.env.PAYOUT_SECRET}\n`);
