// The sound of a stone, made here and off until somebody turns it on.

let audio = null;

export const isOn = () => localStorage.getItem("sound") === "on";

// A stone is placed; stones that are captured rattle.
export function stoneSound(captured = 0) {
  if (!isOn()) return;
  audio ??= new AudioContext();
  click(0, 900);
  for (let k = 1; k <= Math.min(captured, 4); k++) click(0.09 * k, 1500);
}

function click(wait, pitch) {
  const at = audio.currentTime + wait;
  const tone = new OscillatorNode(audio, { type: "triangle", frequency: pitch });
  const volume = new GainNode(audio, { gain: 0 });
  volume.gain.setValueAtTime(0.25, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + 0.07);
  tone.frequency.exponentialRampToValueAtTime(pitch / 4, at + 0.06);
  tone.connect(volume).connect(audio.destination);
  tone.start(at);
  tone.stop(at + 0.08);
}
