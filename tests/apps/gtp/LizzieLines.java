import featurecat.lizzie.Config;
import featurecat.lizzie.Lizzie;
import featurecat.lizzie.analysis.MoveData;
import java.util.Scanner;

/** Reads analysis as Lizzie does, by its own class: `lz` or `kata` and a line in, a row for each move out. */
class LizzieLines {
  public static void main(String[] arguments) throws Exception {
    Lizzie.config = new Config();
    Scanner lines = new Scanner(System.in, "UTF-8");
    while (lines.hasNextLine()) {
      String[] words = lines.nextLine().split(" ", 2);
      for (String part : words[1].substring("info ".length()).split(" info ")) {
        MoveData move = words[0].equals("kata") ? MoveData.fromInfoKatago(part) : MoveData.fromInfo(part);
        System.out.println(
            String.join(
                "\t",
                words[0],
                move.coordinate,
                "" + move.playouts,
                "" + move.winrate,
                "" + move.scoreMean,
                String.join(" ", move.variation)));
      }
    }
  }
}
